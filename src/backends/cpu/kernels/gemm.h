// float32 matrix product: C[M,N] = epilogue(A[M,K] * B[K,N]), all row-major.
//
// B is packed into panels of a few columns, which the micro-kernel streams while a tile of C stays in registers; A is read in
// place. A narrow B (quantised weights) stays narrow in its panels: a block of a panel is widened in the cache and then used for
// a whole block of rows, so results are those of a B widened before. Sums run over K in order, in blocks of at most 512 whose
// results are added up, whatever the tile and the number of threads: so results depend on neither. With K = 0 the sum is 0.
//
// Every function here picks the widest instruction set of the running machine; packed data is only valid in the process that
// made it. Scratch is always the caller's, 64-byte aligned, contents undefined before and after.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/epilogue.h"
#include "base/thread_pool.h"
#include "core/stored_form.h"

namespace tsr::cpu {

/// Matrix B as it lies in memory.
struct PackSource {
  const void* data = nullptr;
  StoredForm form = {};
  int64_t row_stride = 0;   ///< elements from one stored row to the next; rows are B's columns when `transposed`
  bool transposed = false;  ///< stored as [N, K]
};

/// The form in which a B of that form should be packed for products of so many rows. In WebAssembly few rows are not worth widening a
/// block of it for each product: one row takes three to four times as long, four rows twice, 49 rows 1.1 times.
inline StoredForm packed_form_for([[maybe_unused]] int64_t rows, const StoredForm& form) {
#if defined(__wasm__)
  constexpr int64_t kFewestRows = 32;
  if (rows < kFewestRows) return {};
#endif
  return form;
}

/// Bytes that pack_b writes for a B of that form. A multiple of 64.
size_t packed_b_size(int64_t k, int64_t n, const StoredForm& form = {});

/// Packs B[k, n] in its own form; `packed` is 64-byte aligned. Once per weight; about as fast as a copy.
void pack_b(const PackSource& b, int64_t k, int64_t n, std::byte* packed, ThreadPool& pool);

/// What pack_b was given, in the same form: B[k, n] dense, or its transpose [n, k].
void unpack_b(const std::byte* packed, const StoredForm& form, int64_t k, int64_t n, bool transposed, void* b);

struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;
  int64_t a_stride = 0;       ///< floats from one stored row of A to the next
  bool a_transposed = false;  ///< stored as [K, M]; costs a copy of A's blocks
  const std::byte* packed_b = nullptr;
  float* c = nullptr;
  int64_t c_stride = 0;
  Epilogue epilogue;
  StoredForm b_form = {};  ///< that packed_b was packed from
};

size_t gemm_scratch_bytes(const GemmArgs& args, int threads);
void gemm(const GemmArgs& args, std::byte* scratch, ThreadPool& pool);

/// A batch of products with B packed on the fly (for products of two activations).
struct MatmulArgs {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  const float* a = nullptr;
  int64_t a_stride = 0;
  bool a_transposed = false;
  const float* b = nullptr;
  int64_t b_stride = 0;
  bool b_transposed = false;
  float* c = nullptr;
  int64_t c_stride = 0;
  /// Where matrix i of the batch starts, in elements: offsets[i] if given, else i * batch_stride (0 shares one matrix).
  const int64_t* a_offsets = nullptr;
  const int64_t* b_offsets = nullptr;
  int64_t a_batch_stride = 0;
  int64_t b_batch_stride = 0;
  int64_t c_batch_stride = 0;
  Epilogue epilogue;  ///< rows count on through the batch: row = i * m + row in matrix
};

/// Only sizes, transposes and which pointers are null matter.
size_t matmul_scratch_bytes(const MatmulArgs& args, int threads);
void matmul(const MatmulArgs& args, std::byte* scratch, ThreadPool& pool);

/// Name of the instruction set in use: "AVX2", "AVX3", "SSE4", "WASM", "NEON", "SCALAR", ...
const char* kernel_target_name();

}  // namespace tsr::cpu
