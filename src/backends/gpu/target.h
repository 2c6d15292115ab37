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
#include "emit/launch.h"
#include "ir/kernel.h"

namespace tsr::gpu {

enum class Language { kWgsl, kGlsl };

class Target {
 public:
  virtual ~Target() = default;
  virtual emit::Shader emit(const ir::Kernel& kernel) const = 0;
  /// The launch words for these shapes and the kernel's parameters. What depends on the memory itself is filled in by record().
  virtual std::vector<uint32_t> words(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out) const = 0;
  /// Appends the runs that compute the `elements` elements of `out`, each at most `max_elements` of them where the language allows
  /// to split. Modifies `words`.
  virtual void record(CommandList& list, uint32_t program, const emit::LaunchLayout& layout, std::span<const Memory* const> in,
                      const Memory& out, int64_t elements, int64_t max_elements, std::vector<uint32_t>& words) const = 0;
};

std::unique_ptr<Target> make_target(Language language);

/// Rough number of loop steps that one output element costs: the product of the extents of nested reductions, summed over the
/// body. At least 1. For splitting long launches.
int64_t steps_per_element(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out);

}  // namespace tsr::gpu
