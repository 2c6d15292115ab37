// Kernels run before they are needed, for engines that compile code better once it has run for a while (WebAssembly).
#pragma once

#include <span>
#include <vector>

#include "core/op_def.h"
#include "runtime/device.h"

namespace tsr {

/// One op on small inputs. `constants` of the last inputs are weights: kernels pack them, as those of a model.
struct WarmWork {
  const OpDef* op = nullptr;
  Attrs attrs;
  std::vector<TensorType> inputs;
  size_t constants = 0;
  int times = 1;
};

/// Runs the works, on zeros, until all are done or the deadline has passed; does nothing on devices that are no hosts. An engine then
/// compiles their inner loops in a thread of its own, while weights come. Costs a few milliseconds, and memory only meanwhile.
void warm_kernels(Device& device, std::span<const WarmWork> works, const Deadline& deadline);

}  // namespace tsr
