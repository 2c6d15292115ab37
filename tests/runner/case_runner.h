// Runs cases of tests/cases/*.json: on the reference, and on devices against the reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "case_file.h"

namespace tsr {
class Device;
}

namespace tsr::cases {

enum class Outcome { kPass, kFail, kUnsupported, kExcluded };
const char* name_of(Outcome o);

struct Result {
  Outcome outcome = Outcome::kPass;
  std::string detail;  ///< why not PASS
};

/// What the reference says about a case; inputs of the comparisons with devices.
struct Golden {
  Result result;                ///< kFail when `expect` or a finite difference disagrees
  bool throws = false;          ///< the case expects an error and got it: nothing to run on devices
  std::vector<Tensor> outputs;  ///< on the host
  std::vector<int> grad_inputs;
  std::vector<Tensor> dys;      ///< one an output; undefined for outputs without gradient
  std::vector<Tensor> grads;    ///< one a grad_input; undefined: zero
};

/// Reference outputs, the case's own expectations, gradients against finite differences. Never throws for what a case may get wrong.
Golden run_on_reference(const CaseFile& file, const Case& c);

/// The case on one device: each op with a body as a single launch with poisoned memory, then everything through the engine.
/// The engine's device must be `device` already.
Result run_on_device(const CaseFile& file, const Case& c, const Golden& golden, const std::string& device);

/// Only the first half of that: each output of an op with a body as a single launch, in guarded and poisoned memory. `constant`:
/// an input that the device may take for a weight and prepack, or -1.
Result run_as_launches(const CaseFile& file, const Case& c, const Golden& golden, Device& device, int constant = -1);

/// Empty when equal within `tolerance` (see tests/cases/README.md); else where they differ first.
std::string difference(const Tensor& got, const Tensor& want, double tolerance);

}  // namespace tsr::cases
