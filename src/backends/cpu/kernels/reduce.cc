#include "backends/cpu/kernels/reduce.h"

#include <algorithm>
#include <cstring>
#include <limits>

#define TSR_KERNELS_WITHOUT_AVX3  // bound by memory, not by the width of vectors
#include "backends/cpu/kernels/targets.h"
#include "base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

// An operation on vectors and on single values. int32 wraps, which unsigned arithmetic may.
template <ReduceOp kOp>
struct Op {
  static HWY_INLINE VF vec(VF a, VF b) {
    if constexpr (kOp == ReduceOp::kSum) return hn::Add(a, b);
    if constexpr (kOp == ReduceOp::kProd) return hn::Mul(a, b);
    if constexpr (kOp == ReduceOp::kMax) return max_nan(a, b);
    if constexpr (kOp == ReduceOp::kMin) return min_nan(a, b);
  }
  static HWY_INLINE VI vec(VI a, VI b) {
    if constexpr (kOp == ReduceOp::kSum) return hn::Add(a, b);
    if constexpr (kOp == ReduceOp::kProd) return hn::Mul(a, b);
    if constexpr (kOp == ReduceOp::kMax) return hn::Max(a, b);
    if constexpr (kOp == ReduceOp::kMin) return hn::Min(a, b);
  }
  static HWY_INLINE float one(float a, float b) {
    if constexpr (kOp == ReduceOp::kSum) return a + b;
    if constexpr (kOp == ReduceOp::kProd) return a * b;
    if constexpr (kOp == ReduceOp::kMax) return a > b || a != a ? a : b;
    if constexpr (kOp == ReduceOp::kMin) return a < b || a != a ? a : b;
  }
  static HWY_INLINE int32_t one(int32_t a, int32_t b) {
    const uint32_t ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
    if constexpr (kOp == ReduceOp::kSum) return static_cast<int32_t>(ua + ub);
    if constexpr (kOp == ReduceOp::kProd) return static_cast<int32_t>(ua * ub);
    if constexpr (kOp == ReduceOp::kMax) return std::max(a, b);
    if constexpr (kOp == ReduceOp::kMin) return std::min(a, b);
  }
  template <typename T>
  static T identity() {
    if constexpr (kOp == ReduceOp::kSum) return T{0};
    if constexpr (kOp == ReduceOp::kProd) return T{1};
    using Limits = std::numeric_limits<T>;
    if constexpr (kOp == ReduceOp::kMax) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    if constexpr (kOp == ReduceOp::kMin) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};

// Combines a long sequence of results in a balanced tree: level l holds the result of 2^l of them, like the digits of a counter.
template <class D, class O, int N>
class Cascade {
  using V = hn::Vec<D>;

 public:
  HWY_INLINE void push(const V (&leaf)[N]) {
    V v[N];
    for (int i = 0; i < N; ++i) v[i] = leaf[i];
    int l = 0;
    for (; count_ >> l & 1; ++l)
      for (int i = 0; i < N; ++i) v[i] = O::vec(level_[l][i], v[i]);
    for (int i = 0; i < N; ++i) level_[l][i] = v[i];
    ++count_;
  }
  // The result; the identity if there was nothing.
  HWY_INLINE void finish(V (&v)[N], V identity) const {
    bool any = false;
    for (int l = 0; count_ >> l; ++l) {
      if (!(count_ >> l & 1)) continue;
      for (int i = 0; i < N; ++i) v[i] = any ? O::vec(level_[l][i], v[i]) : level_[l][i];
      any = true;
    }
    if (!any)
      for (int i = 0; i < N; ++i) v[i] = identity;
  }

 private:
  V level_[32][N];  // enough for 2^31 elements
  uint32_t count_ = 0;
};

// Vectors summed one after another before the tree takes over: the error is that of a sum of about this many.
inline constexpr int64_t kLeaf = 16;

template <class O, typename T>
HWY_INLINE T combine_lanes(const T* values, int64_t n) {  // n a power of two or small; pairwise
  T buffer[64];
  for (int64_t i = 0; i < n; ++i) buffer[i] = values[i];
  for (; n > 1; n = (n + 1) / 2)
    for (int64_t i = 0; i < n / 2; ++i) buffer[i] = O::one(buffer[i], buffer[i + (n + 1) / 2]);
  return buffer[0];
}

// x[n] to one value.
template <class D, class O, typename T = hn::TFromD<D>>
HWY_NOINLINE T reduce_row(const T* x, int64_t n) {
  const D d;
  const auto identity = hn::Set(d, O::template identity<T>());
  Cascade<D, O, 4> tree;
  int64_t i = 0;
  const int64_t leaf = kLeaf * 4 * kLanes;
  while (n - i >= 4 * kLanes) {
    const int64_t end = i + HWY_MIN(leaf, (n - i) / (4 * kLanes) * (4 * kLanes));
    hn::Vec<D> v[4] = {hn::LoadU(d, x + i), hn::LoadU(d, x + i + kLanes), hn::LoadU(d, x + i + 2 * kLanes),
                       hn::LoadU(d, x + i + 3 * kLanes)};
    for (i += 4 * kLanes; i < end; i += 4 * kLanes) {
      v[0] = O::vec(v[0], hn::LoadU(d, x + i));
      v[1] = O::vec(v[1], hn::LoadU(d, x + i + kLanes));
      v[2] = O::vec(v[2], hn::LoadU(d, x + i + 2 * kLanes));
      v[3] = O::vec(v[3], hn::LoadU(d, x + i + 3 * kLanes));
    }
    tree.push(v);
  }
  hn::Vec<D> v[4];
  tree.finish(v, identity);
  auto sum = O::vec(O::vec(v[0], v[1]), O::vec(v[2], v[3]));
  for (; i + kLanes <= n; i += kLanes) sum = O::vec(sum, hn::LoadU(d, x + i));
  if (i < n) sum = O::vec(sum, load_n(d, x + i, n - i, O::template identity<T>()));
  HWY_ALIGN T lanes[kLanes];
  hn::Store(sum, d, lanes);
  return combine_lanes<O>(lanes, kLanes);
}

// One vector, or its first `n` lanes.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_part(D d, const T* p, int64_t n, T fill) {
  if (n >= kLanes) return hn::LoadU(d, p);
  return load_n(d, p, n, fill);
}

// Columns [0, count) of x[n][stride], count at most N vectors, the last possibly in part.
template <class D, class O, int N, typename T = hn::TFromD<D>>
HWY_INLINE void reduce_columns(const T* x, int64_t n, int64_t stride, int64_t count, T* y) {
  const D d;
  const T identity = O::template identity<T>();
  Cascade<D, O, N> tree;
  const int64_t tail = count - (N - 1) * kLanes;  // lanes of the last vector
  for (int64_t r = 0; r < n;) {
    const int64_t end = HWY_MIN(n, r + kLeaf);
    hn::Vec<D> acc[N];
    for (int v = 0; v < N; ++v) acc[v] = load_part(d, x + r * stride + v * kLanes, count - v * kLanes, identity);
    for (++r; r < end; ++r)
      for (int v = 0; v < N; ++v) acc[v] = O::vec(acc[v], load_part(d, x + r * stride + v * kLanes, count - v * kLanes, identity));
    tree.push(acc);
  }
  hn::Vec<D> acc[N];
  tree.finish(acc, hn::Set(d, identity));
  for (int v = 0; v < N; ++v) {
    if (v == N - 1 && tail < kLanes) {
      store_n(acc[v], d, y + v * kLanes, tail);
    } else {
      hn::StoreU(acc[v], d, y + v * kLanes);
    }
  }
}

// x[n][inner] with inner < lanes, dense: `inner` vectors hold `lanes` whole rows, so lanes keep their column.
template <class D, class O, typename T = hn::TFromD<D>>
HWY_INLINE void reduce_narrow(const T* x, int64_t n, int64_t inner, T* y) {
  const D d;
  const T identity = O::template identity<T>();
  constexpr int64_t kBuffer = kLanes * kLanes;
  HWY_ALIGN T lanes[kBuffer];
  for (int64_t i = 0; i < inner; ++i) y[i] = identity;
  const int64_t groups = n / kLanes;
  for (int64_t v = 0; v < inner && groups > 0; ++v) {
    Cascade<D, O, 1> tree;
    for (int64_t g = 0; g < groups;) {
      const int64_t end = HWY_MIN(groups, g + kLeaf);
      hn::Vec<D> acc[1] = {hn::LoadU(d, x + (g * inner + v) * kLanes)};
      for (++g; g < end; ++g) acc[0] = O::vec(acc[0], hn::LoadU(d, x + (g * inner + v) * kLanes));
      tree.push(acc);
    }
    hn::Vec<D> acc[1];
    tree.finish(acc, hn::Set(d, identity));
    hn::StoreU(acc[0], d, lanes + v * kLanes);
  }
  if (groups > 0)
    for (int64_t r = 0; r < kLanes; ++r)
      for (int64_t i = 0; i < inner; ++i) y[i] = O::one(y[i], lanes[r * inner + i]);
  for (int64_t r = groups * kLanes; r < n; ++r)
    for (int64_t i = 0; i < inner; ++i) y[i] = O::one(y[i], x[r * inner + i]);
}

// Columns [c0, c1) of one [n][inner] matrix.
template <class D, class O, typename T = hn::TFromD<D>>
void reduce_matrix(const T* x, int64_t n, int64_t inner, int64_t c0, int64_t c1, T* y) {
  if (inner == 1) {
    y[0] = reduce_row<D, O>(x, n);
  } else if (inner < kLanes) {
    reduce_narrow<D, O>(x, n, inner, y);
  } else {
    for (int64_t c = c0; c < c1;) {
      const int64_t left = c1 - c;
      if (left > 3 * kLanes) {
        reduce_columns<D, O, 4>(x + c, n, inner, HWY_MIN(left, 4 * kLanes), y + c);
        c += HWY_MIN(left, 4 * kLanes);
      } else {
        reduce_columns<D, O, 1>(x + c, n, inner, HWY_MIN(left, kLanes), y + c);
        c += HWY_MIN(left, kLanes);
      }
    }
  }
}

template <class D, typename T = hn::TFromD<D>>
void reduce_any_op(ReduceOp op, const T* x, int64_t n, int64_t inner, int64_t c0, int64_t c1, T* y) {
  switch (op) {
    case ReduceOp::kMean:
    case ReduceOp::kSum: return reduce_matrix<D, Op<ReduceOp::kSum>>(x, n, inner, c0, c1, y);
    case ReduceOp::kProd: return reduce_matrix<D, Op<ReduceOp::kProd>>(x, n, inner, c0, c1, y);
    case ReduceOp::kMax: return reduce_matrix<D, Op<ReduceOp::kMax>>(x, n, inner, c0, c1, y);
    case ReduceOp::kMin: return reduce_matrix<D, Op<ReduceOp::kMin>>(x, n, inner, c0, c1, y);
  }
}

void ReduceF32(ReduceOp op, const float* x, int64_t n, int64_t inner, int64_t c0, int64_t c1, float* y) {
  reduce_any_op<DF>(op, x, n, inner, c0, c1, y);
}
void ReduceI32(ReduceOp op, const int32_t* x, int64_t n, int64_t inner, int64_t c0, int64_t c1, int32_t* y) {
  reduce_any_op<DI>(op, x, n, inner, c0, c1, y);
}

// Whether v takes the place of best: it is beyond it, or the first NaN.
template <bool kMax>
HWY_INLINE bool beats(float v, float best) { return (kMax ? v > best : v < best) || (v != v && best == best); }
template <bool kMax>
HWY_INLINE bool beats(int32_t v, int32_t best) { return kMax ? v > best : v < best; }
template <bool kMax>
HWY_INLINE hn::Mask<DI> beats(VF v, VF best) {
  const auto beyond = kMax ? hn::Gt(v, best) : hn::Lt(v, best);
  const auto nan = hn::AndNot(hn::IsNaN(best), hn::IsNaN(v));
  return hn::RebindMask(DI(), hn::Or(beyond, nan));
}
template <bool kMax>
HWY_INLINE hn::Mask<DI> beats(VI v, VI best) { return kMax ? hn::Gt(v, best) : hn::Lt(v, best); }

// Index of the extreme of each of the columns [c0, c1).
template <class D, bool kMax, typename T = hn::TFromD<D>>
void arg_matrix(const T* x, int64_t n, int64_t inner, int64_t c0, int64_t c1, int32_t* y) {
  const D d;
  const DI di;
  if (n == 0) {
    for (int64_t c = c0; c < c1; ++c) y[c] = 0;
    return;
  }
  if (inner == 1) {
    T best = x[0];
    int32_t where = 0;
    int64_t i = 1;
    if (n >= 2 * kLanes) {  // each lane keeps its first; then the best of them, the lowest index among equals
      auto v = hn::LoadU(d, x);
      VI at = hn::Iota(di, 0), now = at;
      const VI step = hn::Set(di, static_cast<int32_t>(kLanes));
      for (i = kLanes; i + kLanes <= n; i += kLanes) {
        now = hn::Add(now, step);
        const auto next = hn::LoadU(d, x + i);
        const auto mask = beats<kMax>(next, v);
        v = hn::IfThenElse(hn::RebindMask(d, mask), next, v);
        at = hn::IfThenElse(mask, now, at);
      }
      HWY_ALIGN T values[kLanes];
      HWY_ALIGN int32_t indices[kLanes];
      hn::Store(v, d, values);
      hn::Store(at, di, indices);
      best = values[0], where = indices[0];
      for (int64_t l = 1; l < kLanes; ++l) {
        const bool equal = values[l] == best || (values[l] != values[l] && best != best);
        if (beats<kMax>(values[l], best) || (equal && indices[l] < where)) best = values[l], where = indices[l];
      }
    }
    for (; i < n; ++i)
      if (beats<kMax>(x[i], best)) best = x[i], where = static_cast<int32_t>(i);
    y[0] = where;
    return;
  }
  int64_t c = c0;
  for (; c + kLanes <= c1; c += kLanes) {
    auto best = hn::LoadU(d, x + c);
    VI at = hn::Zero(di);
    for (int64_t r = 1; r < n; ++r) {
      const auto v = hn::LoadU(d, x + r * inner + c);
      const auto mask = beats<kMax>(v, best);
      best = hn::IfThenElse(hn::RebindMask(d, mask), v, best);
      at = hn::IfThenElse(mask, hn::Set(di, static_cast<int32_t>(r)), at);
    }
    hn::StoreU(at, di, y + c);
  }
  for (; c < c1; ++c) {
    T best = x[c];
    int32_t where = 0;
    for (int64_t r = 1; r < n; ++r)
      if (beats<kMax>(x[r * inner + c], best)) best = x[r * inner + c], where = static_cast<int32_t>(r);
    y[c] = where;
  }
}

void ArgF32(bool max, const float* x, int64_t n, int64_t inner, int64_t c0, int64_t c1, int32_t* y) {
  max ? arg_matrix<DF, true>(x, n, inner, c0, c1, y) : arg_matrix<DF, false>(x, n, inner, c0, c1, y);
}
void ArgI32(bool max, const int32_t* x, int64_t n, int64_t inner, int64_t c0, int64_t c1, int32_t* y) {
  max ? arg_matrix<DI, true>(x, n, inner, c0, c1, y) : arg_matrix<DI, false>(x, n, inner, c0, c1, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(ReduceF32);
HWY_EXPORT(ReduceI32);
HWY_EXPORT(ArgF32);
HWY_EXPORT(ArgI32);

namespace {

// Columns of one task, a multiple of four vectors of every instruction set.
constexpr int64_t kTaskColumns = 128;
// Elements that a task reads when a long reduction with few results is cut into pieces.
constexpr int64_t kPieceElements = 32768;

// Calls f(outer index, first column, last column) for tasks that cover all results.
template <typename F>
void for_each_task(const ReduceShape& s, ThreadPool& pool, F f) {
  if (s.outer * s.inner == 0) return;
  // Narrow matrices are done whole (their columns share vectors).
  const int64_t step = s.inner < 16 ? s.inner : kTaskColumns;
  const int64_t ranges = (s.inner + step - 1) / step;
  const int64_t elements = std::max<int64_t>(1, s.reduce * std::min(step, s.inner));
  pool.parallel_for(0, s.outer * ranges, std::max<int64_t>(1, 16384 / elements), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t c0 = t % ranges * step;
      f(t / ranges, c0, std::min(s.inner, c0 + step));
    }
  });
}

// How a reduction is cut along `reduce`: depends on the shape alone. 1 piece for none.
struct Pieces {
  int64_t rows, count;
};
Pieces pieces_of(const ReduceShape& s) {
  const int64_t results = s.outer * s.inner;
  // With many results there are tasks enough without cutting.
  if (results == 0 || results >= 4096 || s.reduce * s.inner < 2 * kPieceElements) return {s.reduce, 1};
  const int64_t rows = std::max<int64_t>(1, kPieceElements / s.inner);
  return {rows, (s.reduce + rows - 1) / rows};
}

template <typename T, typename F>
void reduce(ReduceOp op, const ReduceShape& s, const T* x, T* y, std::byte* scratch, ThreadPool& pool, F run) {
  if (s.outer * s.inner == 0) return;
  const Pieces pieces = pieces_of(s);
  if (pieces.count > 1) {
    T* partial = reinterpret_cast<T*>(scratch);
    pool.parallel_for(0, s.outer * pieces.count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t o = t / pieces.count, r0 = t % pieces.count * pieces.rows;
        run(op, x + (o * s.reduce + r0) * s.inner, std::min(pieces.rows, s.reduce - r0), s.inner, 0, s.inner, partial + t * s.inner);
      }
    });
    x = partial;
  }
  const ReduceShape rest{s.outer, pieces.count > 1 ? pieces.count : s.reduce, s.inner};
  for_each_task(rest, pool, [&](int64_t o, int64_t c0, int64_t c1) {
    T* out = y + o * s.inner;
    run(op, x + o * rest.reduce * s.inner, rest.reduce, s.inner, c0, c1, out);
    if (op == ReduceOp::kMean)
      for (int64_t c = c0; c < c1; ++c) out[c] = static_cast<T>(out[c] / static_cast<T>(s.reduce));
  });
}

// y = any (or all) of x, bytes; 8 elements at a time where they lie together.
template <bool kAny>
void reduce_bool(const ReduceShape& s, const uint8_t* x, uint8_t* y, ThreadPool& pool) {
  for_each_task(s, pool, [&](int64_t o, int64_t c0, int64_t c1) {
    const uint8_t* in = x + o * s.reduce * s.inner;
    uint8_t* out = y + o * s.inner;
    if (s.inner == 1) {
      bool found = false;  // a true for any, a false for all
      for (int64_t i = 0; i < s.reduce && !found; ++i) found = (in[i] != 0) == kAny;
      out[0] = found == kAny;
      return;
    }
    for (int64_t c = c0; c < c1; ++c) out[c] = !kAny;
    for (int64_t r = 0; r < s.reduce; ++r)
      for (int64_t c = c0; c < c1; ++c) {
        const uint8_t v = in[r * s.inner + c] != 0;
        out[c] = static_cast<uint8_t>(kAny ? out[c] | v : out[c] & v);
      }
  });
}

}  // namespace

size_t reduce_scratch_bytes(const ReduceShape& shape, int) {
  const Pieces pieces = pieces_of(shape);
  return pieces.count > 1 ? static_cast<size_t>(shape.outer * pieces.count * shape.inner) * 4 : 0;
}

void reduce_f32(ReduceOp op, const ReduceShape& shape, const float* x, float* y, std::byte* scratch, ThreadPool& pool) {
  reduce(op, shape, x, y, scratch, pool, HWY_DYNAMIC_DISPATCH(ReduceF32));
}

void reduce_i32(ReduceOp op, const ReduceShape& shape, const int32_t* x, int32_t* y, std::byte* scratch, ThreadPool& pool) {
  check(op != ReduceOp::kMean, "the mean of int32 is not an int32");
  reduce(op, shape, x, y, scratch, pool, HWY_DYNAMIC_DISPATCH(ReduceI32));
}

#define TSR_ARG(name, T, target, max)                                                                    \
  void name(const ReduceShape& s, const T* x, int32_t* y, ThreadPool& pool) {                            \
    auto run = HWY_DYNAMIC_DISPATCH(target);                                                             \
    for_each_task(s, pool, [&](int64_t o, int64_t c0, int64_t c1) {                                      \
      run(max, x + o * s.reduce * s.inner, s.reduce, s.inner, c0, c1, y + o * s.inner);                  \
    });                                                                                                  \
  }
TSR_ARG(arg_max_f32, float, ArgF32, true)
TSR_ARG(arg_min_f32, float, ArgF32, false)
TSR_ARG(arg_max_i32, int32_t, ArgI32, true)
TSR_ARG(arg_min_i32, int32_t, ArgI32, false)
#undef TSR_ARG

void reduce_any(const ReduceShape& shape, const uint8_t* x, uint8_t* y, ThreadPool& pool) { reduce_bool<true>(shape, x, y, pool); }
void reduce_all(const ReduceShape& shape, const uint8_t* x, uint8_t* y, ThreadPool& pool) { reduce_bool<false>(shape, x, y, pool); }

}  // namespace tsr::cpu
#endif  // HWY_ONCE
