// WebAssembly emitted at run time for chains of elementwise ops: one loop that keeps intermediate values in registers, where the
// chain's own way writes them to the cache and reads them back after each op (docs/decisions/0006-emitted-chains.md has what was measured).
//
// Only float32, and only what WebAssembly's SIMD has instructions for: exponentials and the like stay with their ahead-of-time code.
// The module is validated and compiled by the engine like any other, and needs no more than `wasm-unsafe-eval` of a policy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ir/kernel.h"

namespace tsr::cpu {

/// A module that exports f(inputs, params, out, bytes): for each 16 bytes of `out` up to `bytes` (a multiple of 16), the kernel's body
/// over elements of the inputs. `inputs` is an array of addresses, `params` one of 32-bit words. `single[k]`: input k is one element.
/// Nothing when the body holds what it cannot express. `shared`: the memory it imports is shared between threads.
std::optional<std::vector<uint8_t>> emit_wasm(const ir::Kernel& kernel, const std::vector<bool>& single, bool shared);

/// An emitted module, made into a function of each thread that calls it when that thread first does.
class EmittedFunction {
 public:
  explicit EmittedFunction(std::vector<uint8_t> module);
  /// False when the engine refuses: use another way. `inputs`: one address each.
  bool run(const void* const* inputs, const void* params, void* out, uint32_t bytes) const;

 private:
  uint32_t id_;  // never used again
  std::vector<uint8_t> module_;
};

/// Whether this build can run emitted functions (WebAssembly with SIMD).
bool can_emit();
/// Whether its memory is shared between threads.
bool memory_is_shared();

}  // namespace tsr::cpu
