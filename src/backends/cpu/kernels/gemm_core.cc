// The micro-kernels and the loops around them.
#include "backends/cpu/kernels/gemm_core.h"

#include <algorithm>

#include "backends/cpu/kernels/targets.h"
#include "base/tile_limit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/gemm_core.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/epilogue-inl.h"
#include "backends/cpu/kernels/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

// Register tiles: kRows rows by kVectors vectors. Accumulators must outnumber latency times throughput of a multiply-add (8 to 10
// everywhere), and with them kVectors of B and one of A must fit the registers, or the inner loop spills.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kRows = 12, kVectors = 2;  // 32 registers
#elif HWY_TARGET == HWY_AVX2
inline constexpr int kRows = 6, kVectors = 2;  // 16 registers, 12 + 2 + 1 used
#elif HWY_TARGET == HWY_SSE4
inline constexpr int kRows = 4, kVectors = 2;  // 16 registers; the product needs one of its own (no fused multiply-add)
#elif HWY_TARGET == HWY_NEON
inline constexpr int kRows = 8, kVectors = 2;  // 32 registers on AArch64
#elif HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
// V8 on x86-64 has 15 registers for v128, all used here. Against 4 rows, 4 to 10% less time in V8 13.6 and 14.6; older ones spill, see
// base/tile_limit.h.
inline constexpr int kRows = 6, kVectors = 2;
#elif HWY_TARGET == HWY_WASM
inline constexpr int kRows = 5, kVectors = 2;  // a product needs a register of its own
#else
inline constexpr int kRows = 4, kVectors = 4 / kLanes > 0 ? 4 / kLanes : 1;
#endif
inline constexpr int64_t kCols = kVectors * kLanes;

// Rows of the tallest tile in use.
HWY_INLINE int tile_rows() {
  const int limit = g_tile_row_limit.load(std::memory_order_relaxed);
  return limit > 0 && limit < kRows ? limit : kRows;
}

// Not tile_rows(): what tasks a product has must not change while it is done in instalments.
GemmTile TileShape() { return {kRows, kCols, kLanes}; }

// The rows of A that a tile reads: `runs` pieces of `depth` neighbouring floats, `run_step` apart. A matrix has one run; a
// convolution that reads its image in place has one for each row of the filter. And how far the rows of B are apart that they meet.
struct Operands {
  const float* first;  // row 0
  int64_t stride;      // floats from row to row
  int64_t depth;
  int64_t runs, run_step;
  int64_t b_step;  // packed: the width of the panel
  // The part of B that is wanted after this one, fetched into the level-2 cache meanwhile, `ahead_step` floats each k: deep weights
  // come from memory, and the processor's own prefetching starts anew at each panel. Always within B.
  const float* ahead;
  int64_t ahead_step;
};

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
inline constexpr bool kFetchesAhead = false, kLoadsAhead = false;
#elif HWY_TARGET == HWY_WASM
// WebAssembly cannot prefetch, but a load whose value nobody wants does the same: engines keep it, as it might trap, and the processor
// goes on meanwhile. It costs 5% where B is in the cache and saves 5 to 10% where it comes from further away (V8 13.6, Zen 5).
inline constexpr bool kFetchesAhead = true, kLoadsAhead = true;
#else
inline constexpr bool kFetchesAhead = true, kLoadsAhead = false;
#endif

// The bytes of a B that loads fetch ahead: those of smaller ones stay in a level-2 cache from one block of rows to the next.
inline constexpr int64_t kFarBytes = int64_t{256} << 10;

// What a tile does with its sums.
struct Finish {
  bool add_to_c;           // not the first block of k
  const Epilogue* last;    // after the last block of k: applied in registers (bias, residual, cheap activation); else null
  int64_t row, col;        // for `last`
  int64_t row_step;
  int64_t last_lanes;      // kMasksTail: columns of the last vector that exist
};

// AVX-512 reads and writes part of a vector for nothing; elsewhere a tile whose last columns are not whole vectors goes through a buffer.
#if HWY_TARGET <= HWY_AVX3
inline constexpr bool kMasksTail = true;
#else
inline constexpr bool kMasksTail = false;
#endif

// C[R, V vectors] (+)= A[R, runs * depth] * panel[runs * depth, V vectors]
template <int R, int V, bool kFetches>
HWY_NOINLINE void tile(const Operands& a, const float* HWY_RESTRICT panel, float* HWY_RESTRICT c, int64_t c_stride,
                       const Finish& finish) {
  // ptrdiff_t: with 64-bit steps WebAssembly would truncate each one in the loop.
  const ptrdiff_t a_stride = static_cast<ptrdiff_t>(a.stride), b_step = static_cast<ptrdiff_t>(a.b_step);
  VF acc[R][V];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < V; ++v) acc[r][v] = zero();
  const float* row = a.first;
  [[maybe_unused]] const float* ahead = a.ahead;
  [[maybe_unused]] const ptrdiff_t ahead_step = static_cast<ptrdiff_t>(a.ahead_step);
  for (int64_t run = a.runs; run > 0; --run, row += a.run_step) {
    // Rows in threes off one pointer each: x86 addresses p, p + s and p + 2s without further registers.
    const float* p[(R + 2) / 3];
#pragma GCC unroll 16
    for (int g = 0; g < (R + 2) / 3; ++g) p[g] = row + 3 * g * a_stride;
    for (int64_t k = a.depth; k > 0; --k) {
      VF b[V];
#pragma GCC unroll 16
      for (int v = 0; v < V; ++v) b[v] = load(panel + v * kLanes);
      panel += b_step;
      if constexpr (kFetches) {
        if constexpr (kLoadsAhead) {
          (void)*static_cast<const volatile float*>(ahead);
        } else {
          __builtin_prefetch(ahead, 0, 2);
        }
        ahead += ahead_step;
      }
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const VF x = splat_load(p[r / 3] + (r % 3) * a_stride);
#pragma GCC unroll 16
        for (int v = 0; v < V; ++v) acc[r][v] = madd(x, b[v], acc[r][v]);
      }
#pragma GCC unroll 16
      for (int g = 0; g < (R + 2) / 3; ++g) ++p[g];
    }
  }
  [[maybe_unused]] const auto tail = hn::FirstN(DF(), static_cast<size_t>(kMasksTail ? finish.last_lanes : kLanes));
  // Vector v of the columns at `from`, of which the last may be cut short.
  auto load_at = [&](const float* from, int v) HWY_ATTR {
    if constexpr (kMasksTail) return v == V - 1 ? hn::MaskedLoad(tail, DF(), from + v * kLanes) : load(from + v * kLanes);
    return load(from + v * kLanes);
  };
  if (finish.add_to_c) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (int v = 0; v < V; ++v) acc[r][v] = hn::Add(acc[r][v], load_at(c + r * c_stride, v));
  }
  if (finish.last) {
    const Epilogue& e = *finish.last;
    if (e.bias) {
#pragma GCC unroll 16
      for (int v = 0; v < V; ++v) {
        const VF bias = load_at(e.bias + finish.col, v);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) acc[r][v] = hn::Add(acc[r][v], bias);
      }
    }
    const float* residual = e.residual ? e.residual + finish.row * e.residual_stride + finish.col : nullptr;
    const int64_t residual_step = finish.row_step * e.residual_stride;
    if (residual && e.residual_before_activation) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < V; ++v) acc[r][v] = hn::Add(acc[r][v], load_at(residual + r * residual_step, v));
    }
    if (e.activation == Activation::kRelu || e.activation == Activation::kRelu6) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < V; ++v) acc[r][v] = at_least(acc[r][v], zero());
    }
    if (e.activation == Activation::kRelu6) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < V; ++v) acc[r][v] = at_most(acc[r][v], splat(6.0f));
    }
    if (residual && !e.residual_before_activation) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < V; ++v) acc[r][v] = hn::Add(acc[r][v], load_at(residual + r * residual_step, v));
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < V; ++v) {
      float* const out = c + r * c_stride + v * kLanes;
      if (kMasksTail && v == V - 1) {
        hn::BlendedStore(acc[r][v], tail, DF(), out);
      } else {
        store(acc[r][v], out);
      }
    }
}

using TileFn = void (*)(const Operands&, const float*, float*, int64_t, const Finish&);

// Low tiles and narrow ones are never most of the work: where fetching has a price, they do without.
template <int R, int V, bool kFetches>
constexpr TileFn tile_of() {
  return &tile<R, V, kFetches && !(kLoadsAhead && (V < kVectors || R + 2 < kRows))>;
}

template <bool kFetches, int V, int... R>
constexpr void fill_tiles(TileFn (&table)[kRows], std::integer_sequence<int, R...>) {
  ((table[R] = tile_of<R + 1, V, kFetches>()), ...);
}

// Tiles by vectors - 1 and rows - 1.
struct TileTable {
  TileFn fn[kVectors][kRows];
  template <bool kFetches, int... V>
  constexpr TileTable(std::bool_constant<kFetches>, std::integer_sequence<int, V...>) : fn() {
    (fill_tiles<kFetches, V + 1>(fn[V], std::make_integer_sequence<int, kRows>()), ...);
  }
};
constexpr TileTable kFar{std::bool_constant<kFetchesAhead>(), std::make_integer_sequence<int, kVectors>()};
constexpr TileTable kNear{std::bool_constant<kFetchesAhead && !kLoadsAhead>(), std::make_integer_sequence<int, kVectors>()};

// One block of rows times the panels [first_panel, last_panel), for one block of k.
struct Block {
  int64_t rows, n, k;  // rows of the block; columns and depth of the whole product
  int64_t k0;
  Operands a;
  const float* packed_b;
  int64_t b_stride;          // of a B that is not packed; else 0
  float* c;  // C at the block's first row, column 0
  int64_t c_stride;
  bool first, last;
  const Epilogue* epilogue;  // of tiles; null for none
  int64_t row, col;          // epilogue's name of the block's first row and of column 0
  int64_t row_step;
  StoredForm b_form = {};
};

// `valid` sums of a row of C that a tile left in a buffer.
HWY_INLINE void finish_sums(const Finish& finish, float* sums, int64_t row, float* out, int64_t valid) {
  if (finish.add_to_c) add_row(sums, out, valid);
  if (finish.last) epilogue_row(*finish.last, sums, row, finish.col, valid);
  int64_t j = 0;
  for (; j + kLanes <= valid; j += kLanes) store(load(sums + j), out + j);
  if (j < valid) store_n(load(sums + j), out + j, valid - j);
}

// A panel's block of k, and how far its rows are apart.
struct Panel {
  const float* packed;
  int64_t step;
};

template <class PanelAt>
HWY_INLINE void run_panels(const Block& b, int64_t first_panel, int64_t last_panel, PanelAt panel_at) {
  // Tiles of nearly equal height: 13 rows are 5 + 4 + 4, not 6 + 6 + 1, because low tiles wait for their own sums.
  const int64_t most = tile_rows(), tiles = (b.rows + most - 1) / most;
  const int64_t low = b.rows / tiles, higher = b.rows % tiles;
  // One tile reads on steadily, as processors expect.
  const bool far = kFetchesAhead && tiles > 1 && !b.b_stride && !b.b_form.narrow() && (!kLoadsAhead || b.n * b.k * 4 >= kFarBytes);
  for (int64_t panel = first_panel; panel < last_panel; ++panel) {
    const int64_t n0 = panel * kCols;
    const int64_t valid = HWY_MIN(kCols, b.n - n0);
    const int64_t vectors = (valid + kLanes - 1) / kLanes;
    const Panel at = panel_at(n0, vectors * kLanes);
    const float* packed = at.packed;
    Finish finish{!b.first, b.last ? b.epilogue : nullptr, b.row, b.col + n0, b.row_step, valid - (vectors - 1) * kLanes};
    int64_t m = 0;
    Operands a = b.a;
    a.b_step = at.step;
    // The next panel in shares of the tiles; after the last panel, the first one's next block of k.
    const int64_t depth = a.depth * a.runs, next_n0 = panel + 1 < last_panel ? n0 + kCols : first_panel * kCols;
    const int64_t next_k0 = panel + 1 < last_panel ? b.k0 : b.k0 + depth;
    const int64_t next_width = HWY_MIN(kCols, (b.n - next_n0 + kLanes - 1) / kLanes * kLanes);
    const bool fetches = far && next_k0 + depth <= b.k;
    const float* const next = fetches ? b.packed_b + next_n0 * b.k + next_k0 * next_width : packed;
    const int64_t share = fetches ? (next_width + tiles - 1) / tiles : 0;  // floats of each row of the panel
    const TileFn* fn = (fetches ? kFar : kNear).fn[vectors - 1];
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t rows = low + (t < higher ? 1 : 0);
      const int64_t begin = HWY_MIN(t * share, next_width);
      a.first = b.a.first + m * a.stride;
      a.ahead = begin < next_width ? next + begin * depth : packed;
      a.ahead_step = HWY_MIN(share, next_width - begin);
      float* c = b.c + m * b.c_stride + n0;
      finish.row = b.row + m * b.row_step;
      if (kMasksTail || valid == vectors * kLanes) {
        fn[rows - 1](a, packed, c, b.c_stride, finish);
      } else {  // the last columns are not whole vectors: by way of a buffer
        HWY_ALIGN float sums[kRows * kCols];
        const Finish plain{false, nullptr, 0, 0, 1, kLanes};
        fn[rows - 1](a, packed, sums, kCols, plain);
        for (int64_t r = 0; r < rows; ++r) finish_sums(finish, sums + r * kCols, finish.row + r * b.row_step, c + r * b.c_stride, valid);
      }
      m += rows;
    }
  }
}

// Whole panels that a single row meets at once: as many sums as are needed to keep multiply-adds busy, and as many places where memory is
// read, because one row is limited by how fast B comes (2048 x 1000: 0.50 -> 0.35 ms).
inline constexpr int kRowPanels = HWY_MAX(1, 8 / kVectors);

// sums[kRowPanels, kCols] = a row of A times kRowPanels panels of B, `panel_step` floats apart; their rows are a.b_step apart.
HWY_NOINLINE void row_of_panels(const Operands& a, const float* HWY_RESTRICT panel, int64_t panel_step, float* HWY_RESTRICT sums) {
  const ptrdiff_t step = static_cast<ptrdiff_t>(panel_step), b_step = static_cast<ptrdiff_t>(a.b_step);
  VF acc[kRowPanels][kVectors];
  for (int p = 0; p < kRowPanels; ++p)
    for (int v = 0; v < kVectors; ++v) acc[p][v] = zero();
  const float* run = a.first;
  for (int64_t left = a.runs; left > 0; --left, run += a.run_step) {
    for (int64_t k = 0; k < a.depth; ++k, panel += b_step) {
      const VF x = splat_load(run + k);
#pragma GCC unroll 16
      for (int p = 0; p < kRowPanels; ++p)
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) acc[p][v] = madd(x, load(panel + p * step + v * kLanes), acc[p][v]);
    }
  }
  for (int p = 0; p < kRowPanels; ++p)
    for (int v = 0; v < kVectors; ++v) store(acc[p][v], sums + p * kCols + v * kLanes);
}

// The whole panels of a block of one row, several at a time. Returns the first panel that is left.
int64_t run_row(const Block& b, int64_t first_panel, int64_t last_panel) {
  int64_t panel = first_panel;
  Operands a = b.a;
  a.b_step = b.b_stride ? b.b_stride : kCols;
  const int64_t panel_step = b.b_stride ? kCols : b.k * kCols;
  for (; panel + kRowPanels <= last_panel && (panel + kRowPanels) * kCols <= b.n; panel += kRowPanels) {
    HWY_ALIGN float sums[kRowPanels * kCols];
    const int64_t n0 = panel * kCols;
    row_of_panels(a, b.packed_b + (b.b_stride ? b.k0 * b.b_stride + n0 : n0 * b.k + b.k0 * kCols), panel_step, sums);
    finish_sums({!b.first, b.last ? b.epilogue : nullptr, b.row, b.col + n0, b.row_step, kLanes}, sums, b.row, b.c + n0, kRowPanels * kCols);
  }
  return panel;
}

HWY_NOINLINE void run_block(const Block& b, int64_t first_panel, int64_t last_panel) {
  if (b.rows == 1) first_panel = run_row(b, first_panel, last_panel);
  run_panels(b, first_panel, last_panel, [&b](int64_t n0, int64_t width) {
    return b.b_stride ? Panel{b.packed_b + b.k0 * b.b_stride + n0, b.b_stride} : Panel{b.packed_b + n0 * b.k + b.k0 * width, width};
  });
}

const std::byte* narrow_panel(const Block& b, int64_t n0, int64_t width) {
  return reinterpret_cast<const std::byte*>(b.packed_b) + static_cast<size_t>(n0 * b.k + b.k0 * width) * b.b_form.element_bytes();
}

// One row of A times V vectors of a panel, each widened where it is used.
template <int V, class Loader>
HWY_INLINE void row_sums(const Loader& widened, const float* a, int64_t depth, const std::byte* panel, int64_t width, float* sums) {
  const ptrdiff_t step = static_cast<ptrdiff_t>(width * Loader::kBytes);
  VF acc[V];
  for (int v = 0; v < V; ++v) acc[v] = zero();
  for (int64_t k = 0; k < depth; ++k, panel += step) {
    const VF x = splat_load(a + k);
#pragma GCC unroll 16
    for (int v = 0; v < V; ++v) acc[v] = madd(x, widened(panel + v * kLanes * Loader::kBytes), acc[v]);
  }
  for (int v = 0; v < V; ++v) store(acc[v], sums + v * kLanes);
}

// The same for panels of narrow elements. A block of a panel is widened in the cache for all rows, which costs about as much as
// multiplying it with two to ten more; a single row widens in registers.
HWY_NOINLINE void run_narrow_block(const Block& b, int64_t first_panel, int64_t last_panel) {
  if (b.rows > 1) {
    HWY_ALIGN float wide[kDepthBlock * kCols];
    return run_panels(b, first_panel, last_panel, [&](int64_t n0, int64_t width) HWY_ATTR {
      widen_block(b.b_form, narrow_panel(b, n0, width), b.a.depth * width, wide);
      return Panel{wide, width};
    });
  }
  with_loader(b.b_form, [&](auto widened) HWY_ATTR {
    for (int64_t n0 = first_panel * kCols; n0 < HWY_MIN(b.n, last_panel * kCols); n0 += kCols) {
      const int64_t valid = HWY_MIN(kCols, b.n - n0), width = (valid + kLanes - 1) / kLanes * kLanes;
      const std::byte* panel = narrow_panel(b, n0, width);
      HWY_ALIGN float sums[kCols];
      if (width == kCols) {
        row_sums<kVectors>(widened, b.a.first, b.a.depth, panel, width, sums);
      } else {
        for (int64_t j = 0; j < width; j += kLanes) row_sums<1>(widened, b.a.first, b.a.depth, panel + j * widened.kBytes, width, sums + j);
      }
      finish_sums({!b.first, b.last ? b.epilogue : nullptr, b.row, b.col + n0, b.row_step, kLanes}, sums, b.row, b.c + n0, valid);
    }
  });
}

void Serial(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_stride, const float* packed_b, float* c, int64_t c_stride) {
  const int64_t panels = (n + kCols - 1) / kCols;
  const int64_t step = depth_step(k, kDepthBlock);
  for (int64_t k0 = 0; k0 < k; k0 += step) {
    const int64_t depth = HWY_MIN(step, k - k0);
    run_block({m, n, k, k0, {a + k0, a_stride, depth, 1, 0, 0, nullptr, 0}, packed_b, 0, c, c_stride, k0 == 0, false, nullptr, 0, 0, 1}, 0, panels);
  }
}

// Rows [m0, m0 + rows) times the panels: all of k, then the row epilogue.
void Task(const CoreArgs& args, BlockOfA get_a, float* buffer, int64_t m0, int64_t rows, int64_t first_panel, int64_t last_panel) {
  const SplitEpilogue epilogue = split_epilogue(args.epilogue);
  float* c = args.c + m0 * args.c_stride;
  const int64_t n0 = first_panel * kCols, n1 = HWY_MIN(args.n, last_panel * kCols);
  const int64_t row = args.first_row + m0 * args.row_step;
  if (args.k == 0) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = n0; j < n1; ++j) c[r * args.c_stride + j] = 0.0f;
      epilogue_row(args.epilogue, c + r * args.c_stride + n0, row + r * args.row_step, args.first_col + n0, n1 - n0);
    }
    return;
  }
  const int64_t step = depth_step(args.k, args.gathers ? kGatheredDepth : kDepthBlock);
  for (int64_t k0 = 0; k0 < args.k; k0 += step) {
    const int64_t depth = HWY_MIN(step, args.k - k0);
    int64_t stride = 0;
    const float* a = get_a(m0, rows, k0, depth, buffer, &stride);
    const Block block{rows, args.n, args.k, k0, {a, stride, depth, 1, 0, 0, nullptr, 0}, args.packed_b, args.b_stride, c, args.c_stride, k0 == 0,
                      k0 + depth == args.k, &epilogue.tile, row, args.first_col, args.row_step, args.b_form};
    (args.b_form.narrow() ? run_narrow_block : run_block)(block, first_panel, last_panel);
  }
  if (epilogue.has_rows) finish_rows(epilogue.rows, c + n0, args.c_stride, row, args.row_step, rows, args.first_col + n0, n1 - n0);
}

void Strips(const CoreArgs& args, const StripsOfA& a, int64_t m0, int64_t rows) {
  const SplitEpilogue epilogue = split_epilogue(args.epilogue);
  float* c = args.c + m0 * args.c_stride;
  const int64_t row = args.first_row + m0 * args.row_step;
  run_block({rows, args.n, args.k, a.k0, {a.first, a.stride, a.depth, a.runs, a.run_step, 0, nullptr, 0}, args.packed_b, 0, c, args.c_stride, true, true,
             &epilogue.tile, row, args.first_col, args.row_step},
            0, (args.n + kCols - 1) / kCols);
  if (epilogue.has_rows) finish_rows(epilogue.rows, c, args.c_stride, row, args.row_step, rows, args.first_col, args.n);
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(TileShape);
HWY_EXPORT(Serial);
HWY_EXPORT(Task);
HWY_EXPORT(Strips);

GemmTile gemm_tile() {
  return HWY_DYNAMIC_DISPATCH(TileShape)();
}

void gemm_serial(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_stride, const float* packed_b, float* c, int64_t c_stride) {
  HWY_DYNAMIC_DISPATCH(Serial)(m, n, k, a, a_stride, packed_b, c, c_stride);
}

void gemm_strips(const CoreArgs& args, const StripsOfA& a, int64_t m0, int64_t rows) {
  HWY_DYNAMIC_DISPATCH(Strips)(args, a, m0, rows);
}

namespace {

// Rows of a task at most. A narrow B is widened anew for each block of rows, so these are higher as long as what they read of A for a
// block of k stays as large as elsewhere.
int64_t row_block(const CoreArgs& args) {
  if (!args.b_form.narrow() || args.gathers) return kRowBlock;
  constexpr int64_t kFloats = kRowBlock * kDepthBlock;
  return std::clamp(kFloats / std::max<int64_t>(1, std::min(args.k, kDepthBlock)), kRowBlock, 8 * kRowBlock);
}

}  // namespace

void gemm_core(const CoreArgs& args, BlockOfA a, float* buffers, ThreadPool& pool) {
  if (args.m <= 0 || args.n <= 0) return;
  const GemmTile tile = gemm_tile();
  const int64_t panels = (args.n + tile.cols - 1) / tile.cols;
  // A task is a block of rows by a range of panels. Enough tasks for every thread, none of much more than 2^26 operations (about
  // a millisecond), so that a loop in instalments can stop between them.
  const int64_t wanted = pool.size() > 1 ? pool.size() * 4 : 1;
  const int64_t most = row_block(args);
  const int64_t full = (args.m + most - 1) / most;
  int64_t row_tasks = std::max(full, std::min(wanted, (args.m + 4 * tile.rows - 1) / (4 * tile.rows)));
  int64_t rows = (args.m + row_tasks - 1) / row_tasks;
  rows = std::min(most, (rows + tile.rows - 1) / tile.rows * tile.rows);
  row_tasks = (args.m + rows - 1) / rows;
  int64_t col_tasks = row_tasks >= wanted ? 1 : (wanted + row_tasks - 1) / row_tasks;
  if (args.gathers) col_tasks = std::min<int64_t>(col_tasks, std::max<int64_t>(1, args.n / 64));
  constexpr int64_t kTaskProducts = int64_t{1} << 25;
  col_tasks = std::max(col_tasks, rows * args.n * args.k / kTaskProducts);
  col_tasks = std::clamp<int64_t>(col_tasks, 1, panels);
  const int64_t panel_step = (panels + col_tasks - 1) / col_tasks;
  col_tasks = (panels + panel_step - 1) / panel_step;
  auto run = HWY_DYNAMIC_DISPATCH(Task);
  // Small products are not worth waking anyone for: keep about 2^16 products (some microseconds) in a chunk.
  const int64_t task_products = std::max<int64_t>(1, rows * panel_step * tile.cols * std::max<int64_t>(1, args.k));
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 16) / task_products);
  pool.parallel_for_slots(0, row_tasks * col_tasks, grain, [&](int64_t begin, int64_t end, int slot) {
    float* buffer = buffers ? buffers + slot * kBlockFloats : nullptr;
    for (int64_t t = begin; t < end; ++t) {
      const int64_t m0 = t / col_tasks * rows;
      const int64_t p0 = t % col_tasks * panel_step;
      run(args, a, buffer, m0, std::min(rows, args.m - m0), p0, std::min(panels, p0 + panel_step));
    }
  });
}

}  // namespace tsr::cpu
#endif  // HWY_ONCE
