// Target: everything that differs between shader languages, seen from the device: text, launch words, grids.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/gpu/buffer_pool.h"
#include "backends/gpu/command_list.h"
#include "backends/gpu/driver.h"
#include "base/shape.h"
#include "ir/kernel.h"

namespace tsr::gpu {

enum class Language { kWgsl, kGlsl };

struct Shader {
  std::string text;
  uint32_t uniform_words = 0;
};

class Target {
 public:
  virtual ~Target() = default;
  virtual Shader emit(const ir::Kernel& kernel) const = 0;
  /// The launch words for these shapes and the kernel's parameters.
  virtual std::vector<uint32_t> uniforms(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out) const = 0;
  /// Appends the runs that compute all elements of `out`, each at most `max_elements` of them (0: no limit). `uniforms` may be
  /// modified where a run has to know its first element.
  virtual void record(CommandList& list, uint32_t program, const Memory& out, int64_t elements, std::span<const Memory* const> in,
                      std::vector<uint32_t>& uniforms, int64_t max_elements, const Limits& limits) const = 0;
};

std::unique_ptr<Target> make_target(Language language);

/// Rough number of loop steps that one output element costs: the product of the extents of nested reductions, summed over the
/// body. At least 1. For splitting long launches.
int64_t steps_per_element(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out);

}  // namespace tsr::gpu
