// The epilogue on vectors and on rows, compiled once per instruction set (include after hwy/foreach_target.h).

#include "backends/cpu/kernels/epilogue.h"
#include "backends/cpu/kernels/lanes-inl.h"

#if defined(TSR_CPU_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TSR_CPU_EPILOGUE_INL_H_
#undef TSR_CPU_EPILOGUE_INL_H_
#else
#define TSR_CPU_EPILOGUE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

HWY_INLINE VF relu(VF x) { return at_least(x, zero()); }
HWY_INLINE VF relu6(VF x) { return at_most(at_least(x, zero()), splat(6.0f)); }

// Activations that a register tile applies itself: a few instructions and no constants worth keeping.
HWY_INLINE bool is_cheap(Activation a) {
  return a == Activation::kNone || a == Activation::kRelu || a == Activation::kRelu6;
}

HWY_INLINE VF cheap_activation(Activation a, VF x) {
  if (a == Activation::kRelu) return relu(x);
  if (a == Activation::kRelu6) return relu6(x);
  return x;
}

// f(values, tail) over n floats: whole vectors by address, then the rest by address and count.
template <class F>
HWY_INLINE void map_row(float* values, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(f(load(values + i), i, kLanes), values + i);
  if (i < n) store_n(f(load_n(values + i, n - i), i, n - i), values + i, n - i);
}

HWY_INLINE VF load_some(const float* p, int64_t n) { return n == kLanes ? load(p) : load_n(p, n); }

HWY_INLINE void activate_row(const Epilogue& e, float* values, int64_t col, int64_t n) {
  const VF z = zero(), one = splat(1.0f);
  switch (e.activation) {
    case Activation::kNone: break;
    case Activation::kRelu: map_row(values, n, [](VF x, int64_t, int64_t) HWY_ATTR { return relu(x); }); break;
    case Activation::kRelu6: map_row(values, n, [](VF x, int64_t, int64_t) HWY_ATTR { return relu6(x); }); break;
    case Activation::kSigmoid: map_row(values, n, [](VF x, int64_t, int64_t) HWY_ATTR { return sigmoid(x); }); break;
    case Activation::kElu:
      map_row(values, n, [z](VF x, int64_t, int64_t) HWY_ATTR { return hn::IfThenElse(hn::Ge(x, z), x, expm1(x)); });
      break;
    case Activation::kLeakyRelu: {
      const VF alpha = splat(e.alpha);
      map_row(values, n, [z, alpha](VF x, int64_t, int64_t) HWY_ATTR { return hn::IfThenElse(hn::Ge(x, z), x, hn::Mul(alpha, x)); });
      break;
    }
    case Activation::kPrelu:
      map_row(values, n, [z, slope = e.slope + col](VF x, int64_t i, int64_t count) HWY_ATTR {
        return hn::IfThenElse(hn::Ge(x, z), x, hn::Mul(load_some(slope + i, count), x));
      });
      break;
    case Activation::kSwish: map_row(values, n, [](VF x, int64_t, int64_t) HWY_ATTR { return hn::Mul(x, sigmoid(x)); }); break;
    case Activation::kHardSwish: {
      const VF alpha = splat(e.alpha);
      map_row(values, n, [alpha](VF x, int64_t, int64_t) HWY_ATTR { return hn::Mul(hn::Mul(x, relu6(hn::Add(x, splat(3.0f)))), alpha); });
      break;
    }
    case Activation::kTanh: map_row(values, n, [](VF x, int64_t, int64_t) HWY_ATTR { return tanh(x); }); break;
  }
  (void)one;
}

HWY_INLINE void add_row(float* values, const float* other, int64_t n) {
  map_row(values, n, [other](VF x, int64_t i, int64_t count) HWY_ATTR { return hn::Add(x, load_some(other + i, count)); });
}

// All of the epilogue on n values of one row.
inline void epilogue_row(const Epilogue& e, float* values, int64_t row, int64_t col, int64_t n) {
  if (e.bias) add_row(values, e.bias + col, n);
  const float* residual = e.residual ? e.residual + row * e.residual_stride + col : nullptr;
  if (residual && e.residual_before_activation) add_row(values, residual, n);
  activate_row(e, values, col, n);
  if (residual && !e.residual_before_activation) add_row(values, residual, n);
  if (e.fn) e.fn(e.ctx, values, row, col, n);
}

// An epilogue cut in two: what a register tile does at once, and what a pass over the finished rows does while they are in cache.
struct SplitEpilogue {
  Epilogue tile, rows;
  bool has_rows = false;
};

inline SplitEpilogue split_epilogue(const Epilogue& e) {
  SplitEpilogue s;
  s.tile = e;
  s.tile.fn = nullptr;
  s.rows.fn = e.fn;
  s.rows.ctx = e.ctx;
  if (!is_cheap(e.activation)) {
    s.tile.activation = Activation::kNone;
    s.rows.activation = e.activation;
    s.rows.alpha = e.alpha;
    s.rows.slope = e.slope;
    if (!e.residual_before_activation) {
      s.tile.residual = nullptr;
      s.rows.residual = e.residual;
      s.rows.residual_stride = e.residual_stride;
    }
  }
  s.has_rows = s.rows.fn || s.rows.activation != Activation::kNone || s.rows.residual;
  return s;
}

// What split_epilogue left over, on `rows` rows of n values, `stride` floats apart. They are columns [col, col + n) of the output's
// rows row, row + row_step, ...
inline void finish_rows(const Epilogue& e, float* values, int64_t stride, int64_t row, int64_t row_step, int64_t rows, int64_t col, int64_t n) {
  if (e.fn && stride == n && row_step == 1) {  // whole rows: neighbours in memory
    Epilogue each = e;
    each.fn = nullptr;
    if (each.activation != Activation::kNone || each.residual) {
      for (int64_t r = 0; r < rows; ++r) epilogue_row(each, values + r * stride, row + r, col, n);
    }
    e.fn(e.ctx, values, row, col, rows * n);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) epilogue_row(e, values + r * stride, row + r * row_step, col, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard that lets each target in once
