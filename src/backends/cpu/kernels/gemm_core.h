// Inside of the matrix product, shared by gemm, matmul and the convolutions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/epilogue.h"
#include "base/thread_pool.h"
#include "core/stored_form.h"

namespace tsr::cpu {

/// Sums run over at most this many products before they are added to C. The panel of B that a tile streams is then 16 KB (WebAssembly,
/// 8 columns) to 64 KB (AVX-512, 32 columns): the level-2 cache gives it fast enough, and C is read again only for deep products.
/// It bounds the rounding error of the inner sums, too.
inline constexpr int64_t kDepthBlock = 512;
/// The same for an A that is gathered, which must stay in the level-2 cache with its block of rows.
inline constexpr int64_t kGatheredDepth = 256;
/// Rows of A a block holds: gathered 128 KB, half of a small level-2 cache.
inline constexpr int64_t kRowBlock = 128;
/// Floats of scratch a thread needs for a gathered block of A.
inline constexpr int64_t kBlockFloats = kGatheredDepth * kRowBlock;

/// The depth of each block of k, nearly equal and at most `most`.
constexpr int64_t depth_step(int64_t k, int64_t most) {
  const int64_t blocks = (k + most - 1) / most;
  return blocks == 0 ? most : (k + blocks - 1) / blocks;
}

/// Shape of the packed panels on this machine.
struct GemmTile {
  int64_t rows;   ///< rows of C in a register tile
  int64_t cols;   ///< columns of a panel
  int64_t lanes;  ///< the last panel is rounded up to these
};
GemmTile gemm_tile();

/// Rows [m0, m0 + rows) and columns [k0, k0 + depth) of A, either in place or copied into `buffer` (rows * depth floats, the
/// thread's own); *stride receives the floats from row to row.
using BlockOfA = FunctionRef<const float*(int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* buffer, int64_t* stride)>;

struct CoreArgs {
  int64_t m = 0, n = 0, k = 0;
  const float* packed_b = nullptr;
  int64_t b_stride = 0;   ///< not 0: B lies row-major as it is, its rows so far apart, and n is a multiple of the vector's length
  float* c = nullptr;
  int64_t c_stride = 0;
  Epilogue epilogue;
  int64_t first_row = 0;  ///< what the epilogue calls row 0 of C (residual rows count from there, too)
  int64_t row_step = 1;   ///< and how far its rows are apart for it
  int64_t first_col = 0;  ///< and column 0
  bool gathers = false;   ///< A is copied: then splitting over columns costs a copy each
  StoredForm b_form = {};  ///< narrow: packed_b points to elements of this form (gemm_core alone takes such)
};

/// All of C, split over the pool. `buffers` holds pool.size() * kBlockFloats floats when A is copied, else it may be null.
void gemm_core(const CoreArgs& args, BlockOfA a, float* buffers, ThreadPool& pool);

/// Rows of A as they lie in an image: row r is `runs` pieces of `depth` floats, first + r * stride + i * run_step, which meet the rows
/// [k0, k0 + runs * depth) of B.
struct StripsOfA {
  const float* first = nullptr;
  int64_t stride = 0;
  int64_t depth = 0;
  int64_t runs = 1, run_step = 0;
  int64_t k0 = 0;
};

/// Rows [m0, m0 + rows) of C for the whole depth of A at once, on this thread: for shallow filters (kGatheredDepth).
void gemm_strips(const CoreArgs& args, const StripsOfA& a, int64_t m0, int64_t rows);

/// C = A * B alone on this thread, without an epilogue.
void gemm_serial(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_stride, const float* packed_b, float* c, int64_t c_stride);

}  // namespace tsr::cpu
