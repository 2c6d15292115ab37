// One function per expression node and operand type, over a tile of elements: the instruction set of tile programs.
#pragma once

#include <cstdint>

#include "ir/expr.h"

namespace tsr::simd {

/// Elements in a tile. Eight live registers of 512 four-byte elements fill half of a 32 KB L1, and the cost of
/// dispatching an instruction (some 3 ns) is a tenth of its work.
inline constexpr int kTile = 512;
/// Bytes of the widest vector of any target; tile memory is padded to it, and a splat scalar fills one.
inline constexpr int kMaxVectorBytes = 64;

/// Operands are 4-byte elements: float, int32, or masks (0 or -1). A scalar operand has step 0 and points to
/// kMaxVectorBytes of its splat value. Functions process n rounded up to `TileOps::lanes` elements; `out` may be one of
/// the inputs.
struct TileArgs {
  void* out = nullptr;
  const void* in[3] = {nullptr, nullptr, nullptr};
  uint32_t step[3] = {1, 1, 1};
  int n = 0;
};
using TileFn = void (*)(const TileArgs&);

struct TileOps {
  static constexpr int kOps = static_cast<int>(ir::Op::kSelect) + 1;
  int lanes = 1;
  /// By node kind and type of the last operand; null where there is no such node.
  TileFn fn[kOps][3] = {};

  // Partial sums: in[0] is added to `out`, what rounding loses goes to `lost` (Kahan). Exact lengths need not be
  // multiples of `lanes`.
  void (*kahan_add)(float* out, float* lost, const float* x, uint32_t step, int n) = nullptr;
  /// One step of argmax (f32, i32) or argmin over n lanes: where value beats best, best = value and index = i.
  void (*arg_step[2][2])(void* best, int32_t* index, const void* value, uint32_t step, int32_t i,
                         int n) = {};  ///< [f32, i32][max, min]

  // Over one contiguous tile of any n >= 1.
  double (*sum_f32)(const float* x, int n) = nullptr;
  float (*max_f32)(const float* x, int n) = nullptr;  ///< NaN if any is
  float (*min_f32)(const float* x, int n) = nullptr;

  // Widening loads and narrowing stores of n elements (exactly).
  void (*mask_from_bool)(int32_t* out, const uint8_t* in, int n) = nullptr;
  void (*bool_from_mask)(uint8_t* out, const int32_t* in, int n) = nullptr;
  void (*f32_from_f16)(float* out, const uint16_t* in, int n) = nullptr;
};

/// The table of the best instruction set that this machine has.
const TileOps& tile_ops();

}  // namespace tsr::simd
