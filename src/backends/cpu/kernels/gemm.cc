// Packing, and the public faces of the matrix product.
#include "backends/cpu/kernels/gemm.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/kernels/gemm_core.h"
#include "backends/cpu/kernels/nd_copy.h"

namespace tsr::cpu {
namespace {

constexpr size_t align64(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Columns that a panel of `valid` columns takes in memory.
int64_t panel_width(const GemmTile& tile, int64_t valid) { return (valid + tile.lanes - 1) / tile.lanes * tile.lanes; }

// The rows of a whole panel, as they are. Their bytes are a constant so that a row is a few vector moves: a model's first run packs all
// of its weights, mostly in code that the engine has not optimised yet.
template <size_t Bytes, typename T>
void copy_panel(const T* b, int64_t row_stride, int64_t k, int64_t width, T* out) {
  for (int64_t i = 0; i < k; ++i, b += row_stride, out += width) std::memcpy(out, b, Bytes);
}

// The same for any width that panels have; false for others.
template <typename T>
bool copy_panel(const T* b, int64_t row_stride, int64_t k, int64_t width, T* out) {
  switch (static_cast<size_t>(width) * sizeof(T)) {
    case 4: copy_panel<4>(b, row_stride, k, width, out); return true;
    case 8: copy_panel<8>(b, row_stride, k, width, out); return true;
    case 16: copy_panel<16>(b, row_stride, k, width, out); return true;
    case 32: copy_panel<32>(b, row_stride, k, width, out); return true;
    case 64: copy_panel<64>(b, row_stride, k, width, out); return true;
    case 128: copy_panel<128>(b, row_stride, k, width, out); return true;
    default: return false;
  }
}

// One panel: B[0..k, n0 .. n0 + valid) as [k][width], zero bytes beyond (results of those columns are never looked at).
template <typename T>
void pack_panel(const T* b, int64_t row_stride, bool transposed, int64_t k, int64_t n0, int64_t valid, int64_t width, T* out) {
  if (!transposed) {
    if (valid == width && copy_panel(b + n0, row_stride, k, width, out)) return;
    for (int64_t i = 0; i < k; ++i, out += width) {
      const T* row = b + i * row_stride + n0;
      for (int64_t j = 0; j < valid; ++j) out[j] = row[j];
      for (int64_t j = valid; j < width; ++j) out[j] = T{};
    }
    return;
  }
  // A stored row is a column of the panel. In runs of 16 along k, so that each cache line of either side is used up while there.
  constexpr int64_t kRun = 16;
  for (int64_t i0 = 0; i0 < k; i0 += kRun) {
    const int64_t run = std::min(kRun, k - i0);
    T* block = out + i0 * width;
    for (int64_t j = 0; j < valid; ++j) {
      const T* row = b + (n0 + j) * row_stride + i0;
      for (int64_t i = 0; i < run; ++i) block[i * width + j] = row[i];
    }
    for (int64_t i = 0; i < run; ++i)
      for (int64_t j = valid; j < width; ++j) block[i * width + j] = T{};
  }
}

template <typename T>
void pack_panels(const PackSource& b, int64_t k, int64_t n, T* packed, ThreadPool& pool) {
  const GemmTile tile = gemm_tile();
  const int64_t panels = (n + tile.cols - 1) / tile.cols;
  const int64_t grain = std::max<int64_t>(1, 16384 / (k * tile.cols));
  pool.parallel_for(0, panels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t n0 = p * tile.cols, valid = std::min(tile.cols, n - n0);
      pack_panel(static_cast<const T*>(b.data), b.row_stride, b.transposed, k, n0, valid, panel_width(tile, valid), packed + n0 * k);
    }
  });
}

template <typename T>
void unpack_panels(const T* from, int64_t k, int64_t n, bool transposed, T* b) {
  const GemmTile tile = gemm_tile();
  for (int64_t n0 = 0; n0 < n; n0 += tile.cols) {
    const int64_t valid = std::min(tile.cols, n - n0), width = panel_width(tile, valid);
    for (int64_t i = 0; i < k; ++i, from += width) {
      for (int64_t j = 0; j < valid; ++j) b[transposed ? (n0 + j) * k + i : i * n + n0 + j] = from[j];
    }
  }
}

float* aligned_floats(std::byte* scratch) { return reinterpret_cast<float*>(scratch); }

// So few rows of A use a packed B too little: packing it costs about as much as multiplying it with five rows (256 x 256, WebAssembly).
constexpr int64_t kFewRows = 8;

bool reads_b_in_place(const MatmulArgs& args) {
  return args.m <= kFewRows && !args.b_transposed && args.n % gemm_tile().lanes == 0 && args.k > 0;
}

// Rows of a transposed A, copied into place.
const float* gather_transposed(const float* a, int64_t a_stride, int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* buffer,
                               int64_t* stride) {
  *stride = depth;
  transpose_floats(a + k0 * a_stride + m0, a_stride, depth, rows, buffer, depth);
  return buffer;
}

}  // namespace

size_t packed_b_size(int64_t k, int64_t n, const StoredForm& form) {
  const GemmTile tile = gemm_tile();
  return align64(static_cast<size_t>(std::max<int64_t>(0, k) * panel_width(tile, std::max<int64_t>(0, n))) * form.element_bytes());
}

// Elements are only moved here, so their size is all that matters.
void pack_b(const PackSource& b, int64_t k, int64_t n, std::byte* packed, ThreadPool& pool) {
  if (k <= 0 || n <= 0) return;
  switch (b.form.element_bytes()) {
    case 1: return pack_panels(b, k, n, reinterpret_cast<uint8_t*>(packed), pool);
    case 2: return pack_panels(b, k, n, reinterpret_cast<uint16_t*>(packed), pool);
    default: return pack_panels(b, k, n, aligned_floats(packed), pool);
  }
}

void unpack_b(const std::byte* packed, const StoredForm& form, int64_t k, int64_t n, bool transposed, void* b) {
  switch (form.element_bytes()) {
    case 1: return unpack_panels(reinterpret_cast<const uint8_t*>(packed), k, n, transposed, static_cast<uint8_t*>(b));
    case 2: return unpack_panels(reinterpret_cast<const uint16_t*>(packed), k, n, transposed, static_cast<uint16_t*>(b));
    default: return unpack_panels(reinterpret_cast<const float*>(packed), k, n, transposed, static_cast<float*>(b));
  }
}

size_t gemm_scratch_bytes(const GemmArgs& args, int threads) {
  return args.a_transposed ? static_cast<size_t>(threads) * kBlockFloats * sizeof(float) : 0;
}

void gemm(const GemmArgs& args, std::byte* scratch, ThreadPool& pool) {
  CoreArgs core{args.m, args.n, args.k, reinterpret_cast<const float*>(args.packed_b), 0, args.c, args.c_stride, args.epilogue};
  core.b_form = args.b_form;
  const float* a = args.a;
  const int64_t a_stride = args.a_stride;
  if (args.a_transposed) {
    core.gathers = true;
    auto block = [a, a_stride](int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* buffer, int64_t* stride) {
      return gather_transposed(a, a_stride, m0, rows, k0, depth, buffer, stride);
    };
    gemm_core(core, block, aligned_floats(scratch), pool);
  } else {
    auto block = [a, a_stride](int64_t m0, int64_t, int64_t k0, int64_t, float*, int64_t* stride) {
      *stride = a_stride;
      return a + m0 * a_stride + k0;
    };
    gemm_core(core, block, nullptr, pool);
  }
}

size_t matmul_scratch_bytes(const MatmulArgs& args, int threads) {
  GemmArgs gemm_args;
  gemm_args.a_transposed = args.a_transposed;
  // One packed B for all threads where the batch is one product, else one for each thread, which then does whole products.
  const size_t packs = args.batch > 1 ? static_cast<size_t>(threads) : 1;
  return packs * packed_b_size(args.k, args.n) + gemm_scratch_bytes(gemm_args, threads);
}

void matmul(const MatmulArgs& args, std::byte* scratch, ThreadPool& pool) {
  if (args.batch <= 0 || args.m <= 0 || args.n <= 0) return;
  const size_t pack_bytes = packed_b_size(args.k, args.n);
  const size_t block_bytes = args.a_transposed ? kBlockFloats * sizeof(float) : 0;
  // Many small products: a thread takes whole ones. Few: each is split over the threads. A pool inside a pool runs inline.
  const bool whole = args.batch >= pool.size() * 2 || pool.size() == 1;
  const bool in_place = reads_b_in_place(args);
  auto product = [&](int64_t i, std::byte* pack, std::byte* blocks) {
    const float* data = args.b + (args.b_offsets ? args.b_offsets[i] : i * args.b_batch_stride);
    if (!in_place) {
      PackSource b;
      b.data = data;
      b.row_stride = args.b_stride;
      b.transposed = args.b_transposed;
      pack_b(b, args.k, args.n, pack, pool);
    }
    GemmArgs g{args.m,     args.n, args.k, args.a + (args.a_offsets ? args.a_offsets[i] : i * args.a_batch_stride),
               args.a_stride, args.a_transposed, pack, args.c + i * args.c_batch_stride, args.c_stride, args.epilogue};
    CoreArgs core{g.m, g.n, g.k, in_place ? data : reinterpret_cast<const float*>(pack), in_place ? args.b_stride : 0,
                  g.c, g.c_stride, g.epilogue, i * args.m, 1, 0, g.a_transposed};
    auto block = [&g](int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* buffer, int64_t* stride) -> const float* {
      if (g.a_transposed) return gather_transposed(g.a, g.a_stride, m0, rows, k0, depth, buffer, stride);
      *stride = g.a_stride;
      return g.a + m0 * g.a_stride + k0;
    };
    gemm_core(core, block, g.a_transposed ? aligned_floats(blocks) : nullptr, pool);
  };
  if (args.batch > 1 && whole) {
    std::byte* blocks = scratch + static_cast<size_t>(pool.size()) * pack_bytes;
    const int64_t products = std::max<int64_t>(1, args.m * args.n * std::max<int64_t>(1, args.k));
    const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 16) / products);
    pool.parallel_for_slots(0, args.batch, grain, [&](int64_t begin, int64_t end, int slot) {
      for (int64_t i = begin; i < end; ++i)
        product(i, scratch + static_cast<size_t>(slot) * pack_bytes, blocks + static_cast<size_t>(slot) * block_bytes);
    });
  } else {
    const size_t packs = args.batch > 1 ? static_cast<size_t>(pool.size()) : 1;
    for (int64_t i = 0; i < args.batch; ++i) product(i, scratch, scratch + packs * pack_bytes);
  }
}

}  // namespace tsr::cpu
