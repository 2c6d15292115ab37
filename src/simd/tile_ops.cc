#include "simd/tile_ops.h"

#include <bit>
#include <cmath>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/tile_ops.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::simd::HWY_NAMESPACE {
namespace {

// Functions rather than lambdas: GCC does not compile a lambda's body for the target region that it is written in.
#define TSR_FN1(name, expr)                 \
  struct name {                             \
    template <typename A>                   \
    HWY_INLINE auto operator()(A x) const { \
      return expr;                          \
    }                                       \
  };
#define TSR_FN2(name, expr)                      \
  struct name {                                  \
    template <typename A>                        \
    HWY_INLINE auto operator()(A x, A y) const { \
      return expr;                               \
    }                                            \
  };

// kTurn vectors a turn: 4 where the work is one instruction, as the loop's own would cost as much; else 1, for size.
// A scalar operand's pointer stands still.
template <int kTurn, typename A, typename Fn>
void Unary(const TileArgs& t) {
  constexpr size_t kBytes = static_cast<size_t>(kLanes) * 4;
  const char* a = static_cast<const char*>(t.in[0]);
  const size_t sa = t.step[0] * kBytes;
  char* out = static_cast<char*>(t.out);
  const int n = t.n;
  int i = 0;
  for (; kTurn == 4 && i + 4 * kLanes <= n; i += 4 * kLanes) {
    A x0, x1, x2, x3;
    load_lanes(a, x0);
    load_lanes(a + sa, x1);
    load_lanes(a + 2 * sa, x2);
    load_lanes(a + 3 * sa, x3);
    store_lanes(Fn()(x0), out);
    store_lanes(Fn()(x1), out + kBytes);
    store_lanes(Fn()(x2), out + 2 * kBytes);
    store_lanes(Fn()(x3), out + 3 * kBytes);
    a += 4 * sa;
    out += 4 * kBytes;
  }
  for (; i < n; i += kLanes) {
    A x;
    load_lanes(a, x);
    store_lanes(Fn()(x), out);
    a += sa;
    out += kBytes;
  }
}

template <int kTurn, typename A, typename Fn>
void Binary(const TileArgs& t) {
  constexpr size_t kBytes = static_cast<size_t>(kLanes) * 4;
  const char* a = static_cast<const char*>(t.in[0]);
  const char* b = static_cast<const char*>(t.in[1]);
  const size_t sa = t.step[0] * kBytes;
  const size_t sb = t.step[1] * kBytes;
  char* out = static_cast<char*>(t.out);
  const int n = t.n;
  int i = 0;
  for (; kTurn == 4 && i + 4 * kLanes <= n; i += 4 * kLanes) {
    A x0, x1, x2, x3, y0, y1, y2, y3;
    load_lanes(a, x0);
    load_lanes(a + sa, x1);
    load_lanes(a + 2 * sa, x2);
    load_lanes(a + 3 * sa, x3);
    load_lanes(b, y0);
    load_lanes(b + sb, y1);
    load_lanes(b + 2 * sb, y2);
    load_lanes(b + 3 * sb, y3);
    store_lanes(Fn()(x0, y0), out);
    store_lanes(Fn()(x1, y1), out + kBytes);
    store_lanes(Fn()(x2, y2), out + 2 * kBytes);
    store_lanes(Fn()(x3, y3), out + 3 * kBytes);
    a += 4 * sa;
    b += 4 * sb;
    out += 4 * kBytes;
  }
  for (; i < n; i += kLanes) {
    A x, y;
    load_lanes(a, x);
    load_lanes(b, y);
    store_lanes(Fn()(x, y), out);
    a += sa;
    b += sb;
    out += kBytes;
  }
}

template <typename A>
void Select(const TileArgs& t) {
  constexpr size_t kBytes = static_cast<size_t>(kLanes) * 4;
  const char* c = static_cast<const char*>(t.in[0]);
  const char* a = static_cast<const char*>(t.in[1]);
  const char* b = static_cast<const char*>(t.in[2]);
  char* out = static_cast<char*>(t.out);
  for (int i = 0; i < t.n; i += kLanes) {
    Mask m;
    A x, y;
    load_lanes(c, m);
    load_lanes(a, x);
    load_lanes(b, y);
    store_lanes(select(m, x, y), out);
    c += t.step[0] * kBytes;
    a += t.step[1] * kBytes;
    b += t.step[2] * kBytes;
    out += kBytes;
  }
}

TSR_FN1(ExpFn, exp(x))
TSR_FN1(Expm1Fn, expm1(x))
TSR_FN1(LogFn, log(x))
TSR_FN1(Log1pFn, log1p(x))
TSR_FN1(SqrtFn, sqrt(x))
TSR_FN1(RsqrtFn, rsqrt(x))
TSR_FN1(SinFn, sin(x))
TSR_FN1(CosFn, cos(x))
TSR_FN1(TanFn, tan(x))
TSR_FN1(AsinFn, asin(x))
TSR_FN1(AcosFn, acos(x))
TSR_FN1(AtanFn, atan(x))
TSR_FN1(SinhFn, sinh(x))
TSR_FN1(CoshFn, cosh(x))
TSR_FN1(TanhFn, tanh(x))
TSR_FN1(AsinhFn, asinh(x))
TSR_FN1(AcoshFn, acosh(x))
TSR_FN1(AtanhFn, atanh(x))
TSR_FN1(FloorFn, floor(x))
TSR_FN1(CeilFn, ceil(x))
TSR_FN1(RoundFn, round(x))
TSR_FN1(TruncFn, trunc(x))
TSR_FN1(NegFn, -x)
TSR_FN1(AbsFn, abs(x))
TSR_FN1(SignFn, sign(x))
TSR_FN1(NotFn, !x)
TSR_FN1(IsNanFn, is_nan(x))
TSR_FN1(IsInfFn, is_inf(x))
TSR_FN1(IsFiniteFn, is_finite(x))
TSR_FN1(ToF32Fn, to_f32(x))
TSR_FN1(ToI32Fn, to_i32(x))
TSR_FN1(ToB1Fn, to_b1(x))
TSR_FN1(BitsToI32Fn, bitcast_i32(x))
TSR_FN1(BitsToF32Fn, bitcast_f32(x))
TSR_FN2(AddFn, x + y)
TSR_FN2(SubFn, x - y)
TSR_FN2(MulFn, x* y)
TSR_FN2(DivFn, x / y)
TSR_FN2(RemFn, x % y)
TSR_FN2(FloorDivFn, floor_div(x, y))
TSR_FN2(FloorModFn, floor_mod(x, y))
TSR_FN2(MinFn, min(x, y))
TSR_FN2(MaxFn, max(x, y))
TSR_FN2(PowFn, pow(x, y))
TSR_FN2(Atan2Fn, atan2(x, y))
TSR_FN2(BitAndFn, x& y)
TSR_FN2(BitOrFn, x | y)
TSR_FN2(BitXorFn, x ^ y)
TSR_FN2(ShlFn, x << y)
TSR_FN2(ShrFn, x >> y)
TSR_FN2(ShrLogicalFn, shift_right_logical(x, y))
TSR_FN2(EqFn, x == y)
TSR_FN2(NeFn, x != y)
TSR_FN2(LtFn, x < y)
TSR_FN2(LeFn, x <= y)
TSR_FN2(GtFn, x > y)
TSR_FN2(GeFn, x >= y)
TSR_FN2(AndFn, x&& y)
TSR_FN2(OrFn, x || y)
#undef TSR_FN1
#undef TSR_FN2

void KahanAdd(float* out, float* lost, const float* x, uint32_t step, int n) {
  for (int i = 0; i < n; i += kLanes) {
    F32 sum, c, v;
    load_lanes(out + i, sum);
    load_lanes(lost + i, c);
    load_lanes(x + static_cast<size_t>(i) * step, v);
    const F32 y = v - c;
    const F32 t = sum + y;
    const F32 rest = (t - sum) - y;
    store_lanes(select(is_finite(t), rest, set_f32(0)), lost + i);  // an infinity must not turn into NaN
    store_lanes(t, out + i);
  }
}

HWY_INLINE Mask Unordered(F32 x) { return is_nan(x); }
HWY_INLINE Mask Unordered(I32 x) { return x != x; }

template <typename A, bool kMax>
void ArgStep(void* best_out, int32_t* index, const void* value, uint32_t step, int32_t at, int n) {
  char* best = static_cast<char*>(best_out);
  const char* in = static_cast<const char*>(value);
  const I32 i = set_i32(at);
  for (int k = 0; k < n; k += kLanes) {
    A b, v;
    I32 old;
    load_lanes(best + k * 4, b);
    load_lanes(in + static_cast<size_t>(k) * 4 * step, v);
    load_lanes(index + k, old);
    const Mask beats = kMax ? v > b : v < b;
    const Mask take = at == 0 ? (v == v) || Unordered(v) : !Unordered(b) && (beats || Unordered(v));
    store_lanes(select(take, v, b), best + k * 4);
    store_lanes(select(take, i, old), index + k);
  }
}

double SumF32(const float* x, int n) {
  int i = 0;
  F32 a = set_f32(0), b = a, c = a, d = a;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    F32 p, q, r, s;
    load_lanes(x + i, p);
    load_lanes(x + i + kLanes, q);
    load_lanes(x + i + 2 * kLanes, r);
    load_lanes(x + i + 3 * kLanes, s);
    a = a + p;
    b = b + q;
    c = c + r;
    d = d + s;
  }
  alignas(64) float lanes[kLanes];
  store_lanes((a + b) + (c + d), lanes);
  double sum = 0;
  for (const float v : lanes) sum += static_cast<double>(v);
  for (; i < n; ++i) sum += static_cast<double>(x[i]);
  return sum;
}

template <bool kMax>
float ExtremeF32(const float* x, int n) {
  float best = x[0];
  int i = 0;
  if (n >= kLanes) {
    F32 a;
    load_lanes(x, a);
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      F32 v;
      load_lanes(x + i, v);
      a = kMax ? max(a, v) : min(a, v);
    }
    alignas(64) float lanes[kLanes];
    store_lanes(a, lanes);
    best = lanes[0];
    for (const float v : lanes) best = best != best ? best : (kMax ? !(v <= best) : !(v >= best)) ? v : best;
  }
  for (; i < n; ++i) best = best != best ? best : (kMax ? !(x[i] <= best) : !(x[i] >= best)) ? x[i] : best;
  return best;
}

// Plain loops that compilers vectorise.
void MaskFromBool(int32_t* HWY_RESTRICT out, const uint8_t* HWY_RESTRICT in, int n) {
  for (int i = 0; i < n; ++i) out[i] = -static_cast<int32_t>(in[i] != 0);
}
void BoolFromMask(uint8_t* HWY_RESTRICT out, const int32_t* HWY_RESTRICT in, int n) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<uint8_t>(in[i] & 1);
}
void F32FromF16(float* HWY_RESTRICT out, const uint16_t* HWY_RESTRICT in, int n) {
  for (int i = 0; i < n; ++i) {
    const uint32_t h = in[i];
    const uint32_t magnitude = h & 0x7fffu;
    // Moving the bits into place leaves the exponent 112 too small; one product mends it, subnormals included. Infinity
    // and NaN get theirs set.
    float f = std::bit_cast<float>(magnitude << 13) * 5.192296858534828e33f;  // 2^112
    const uint32_t bits = std::bit_cast<uint32_t>(f) | (magnitude >= 0x7c00u ? 0x7f800000u : 0u);
    out[i] = std::bit_cast<float>(bits | (h & 0x8000u) << 16);
  }
}

TileOps MakeTable() {
  using ir::Op;
  TileOps t;
  t.lanes = kLanes;
  constexpr int kF = 0, kI = 1, kB = 2;
  const auto at = [&t](Op op, int type) -> TileFn& { return t.fn[static_cast<int>(op)][type]; };
#define TSR_F1(op, Fn) at(Op::op, kF) = &Unary<1, F32, Fn>;
#define TSR_N1(op, Fn)                 \
  at(Op::op, kF) = &Unary<4, F32, Fn>; \
  at(Op::op, kI) = &Unary<4, I32, Fn>;
#define TSR_A1(op, Fn) TSR_F1(op, Fn) at(Op::op, kI) = &Unary<1, I32, Fn>, at(Op::op, kB) = &Unary<1, Mask, Fn>;
#define TSR_F2(op, Fn) at(Op::op, kF) = &Binary<1, F32, Fn>;
#define TSR_I2(op, Fn) at(Op::op, kI) = &Binary<1, I32, Fn>;
#define TSR_L2(op, Fn) TSR_F2(op, Fn) TSR_I2(op, Fn)
#define TSR_N2(op, Fn)                  \
  at(Op::op, kF) = &Binary<4, F32, Fn>; \
  at(Op::op, kI) = &Binary<4, I32, Fn>;
#define TSR_A2(op, Fn) TSR_N2(op, Fn) at(Op::op, kB) = &Binary<1, Mask, Fn>;
  TSR_F1(kExp, ExpFn)
  TSR_F1(kExpm1, Expm1Fn)
  TSR_F1(kLog, LogFn)
  TSR_F1(kLog1p, Log1pFn)
  TSR_F1(kSqrt, SqrtFn)
  TSR_F1(kRsqrt, RsqrtFn)
  TSR_F1(kSin, SinFn)
  TSR_F1(kCos, CosFn)
  TSR_F1(kTan, TanFn)
  TSR_F1(kAsin, AsinFn)
  TSR_F1(kAcos, AcosFn)
  TSR_F1(kAtan, AtanFn)
  TSR_F1(kSinh, SinhFn)
  TSR_F1(kCosh, CoshFn)
  TSR_F1(kTanh, TanhFn)
  TSR_F1(kAsinh, AsinhFn)
  TSR_F1(kAcosh, AcoshFn)
  TSR_F1(kAtanh, AtanhFn)
  TSR_F1(kFloor, FloorFn)
  TSR_F1(kCeil, CeilFn)
  TSR_F1(kRound, RoundFn)
  TSR_F1(kTrunc, TruncFn)
  TSR_N1(kNeg, NegFn)
  TSR_N1(kAbs, AbsFn)
  TSR_N1(kSign, SignFn)
  at(Op::kNot, kB) = &Unary<1, Mask, NotFn>;
  TSR_F1(kIsNan, IsNanFn)
  TSR_F1(kIsInf, IsInfFn)
  TSR_F1(kIsFinite, IsFiniteFn)
  TSR_A1(kToF32, ToF32Fn)
  TSR_A1(kToI32, ToI32Fn)
  TSR_A1(kToB1, ToB1Fn)
  TSR_F1(kBitsToI32, BitsToI32Fn)
  at(Op::kBitsToF32, kI) = &Unary<1, I32, BitsToF32Fn>;
  TSR_N2(kAdd, AddFn)
  TSR_N2(kSub, SubFn)
  TSR_N2(kMul, MulFn)
  TSR_N2(kDiv, DivFn)
  TSR_L2(kRem, RemFn)
  TSR_L2(kFloorDiv, FloorDivFn)
  TSR_L2(kFloorMod, FloorModFn)
  TSR_N2(kMin, MinFn)
  TSR_N2(kMax, MaxFn)
  TSR_L2(kPow, PowFn)
  TSR_F2(kAtan2, Atan2Fn)
  TSR_I2(kBitAnd, BitAndFn)
  TSR_I2(kBitOr, BitOrFn)
  TSR_I2(kBitXor, BitXorFn)
  TSR_I2(kShl, ShlFn)
  TSR_I2(kShr, ShrFn)
  TSR_I2(kShrLogical, ShrLogicalFn)
  TSR_A2(kEq, EqFn)
  TSR_A2(kNe, NeFn)
  TSR_A2(kLt, LtFn)
  TSR_A2(kLe, LeFn)
  TSR_A2(kGt, GtFn)
  TSR_A2(kGe, GeFn)
  at(Op::kAnd, kB) = &Binary<1, Mask, AndFn>;
  at(Op::kOr, kB) = &Binary<1, Mask, OrFn>;
  at(Op::kSelect, kF) = &Select<F32>;
  at(Op::kSelect, kI) = &Select<I32>;
  at(Op::kSelect, kB) = &Select<Mask>;
#undef TSR_F1
#undef TSR_N1
#undef TSR_A1
#undef TSR_F2
#undef TSR_I2
#undef TSR_N2
#undef TSR_L2
#undef TSR_A2
  t.kahan_add = &KahanAdd;
  t.arg_step[0][0] = &ArgStep<F32, true>;
  t.arg_step[0][1] = &ArgStep<F32, false>;
  t.arg_step[1][0] = &ArgStep<I32, true>;
  t.arg_step[1][1] = &ArgStep<I32, false>;
  t.sum_f32 = &SumF32;
  t.max_f32 = &ExtremeF32<true>;
  t.min_f32 = &ExtremeF32<false>;
  t.mask_from_bool = &MaskFromBool;
  t.bool_from_mask = &BoolFromMask;
  t.f32_from_f16 = &F32FromF16;
  return t;
}

}  // namespace

const TileOps& Table() {
  static const TileOps table = MakeTable();
  return table;
}

}  // namespace tsr::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::simd {
HWY_EXPORT(Table);
const TileOps& tile_ops() { return HWY_DYNAMIC_DISPATCH(Table)(); }
}  // namespace tsr::simd
#endif
