// The errors that src/simd/math-inl.h states, on every instruction set of this machine, and special values against the
// semantics of ir/expr.h.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "simd/targets.h"

#include "hwy/highway.h"
#include "hwy/targets.h"
#include "ir/scalar.h"
#include "simd/tile_ops.h"

namespace tsr::simd {
namespace {

using ir::Op;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Runs `fn` once for each instruction set that this machine can run.
template <typename Fn>
void for_each_target(Fn fn) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    fn();
  }
  hwy::SetSupportedTargetsForTest(0);
}

std::vector<float> floats_of_all_sizes() {
  std::vector<float> v{0.0f,          -0.0f,          kInf,        -kInf,       kNan,    1.0f,
                       -1.0f,         0.5f,           -0.5f,       1e-45f,      -1e-45f, 1.17549435e-38f,
                       3.4028235e38f, -3.4028235e38f, 88.72283f,   88.72284f,   89.0f,   -87.33655f,
                       -103.97f,      -104.0f,        3.14159274f, 1.57079637f, 8192.0f, 8193.0f,
                       1e10f,         2.5f,           -2.5f,       3.5f};
  for (uint64_t bits = 1; bits < (uint64_t{1} << 32); bits += 20011) {
    const float f = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isfinite(f)) v.push_back(f);
  }
  for (int i = -20000; i <= 20000; ++i) v.push_back(static_cast<float>(i) * 0.00137f);
  while (v.size() % 16) v.push_back(0.25f);
  return v;
}

/// Distance in units of the last place of the correctly rounded value.
double ulp_error(float got, double want) {
  const float rounded = static_cast<float>(want);
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded) return 0;
    // Half a step beyond the largest float may round either way.
    return std::fabs(want) > 3.4028234e38 && std::fabs(got) > 3.4028e38 && std::signbit(got) == std::signbit(rounded)
               ? 1
               : 1e30;
  }
  const int exponent = std::max(std::ilogb(rounded == 0 ? 1e-45f : rounded), -126);
  return std::fabs(static_cast<double>(got) - want) / std::ldexp(1.0, exponent - 23);
}

struct Stated {
  Op op;
  double ulp;
};

TEST(SimdMath, UnaryErrors) {
  const std::vector<float> xs = floats_of_all_sizes();
  const Stated all[] = {{Op::kExp, 2},     {Op::kExpm1, 2}, {Op::kLog, 2},   {Op::kLog1p, 3}, {Op::kSqrt, 0.51},
                        {Op::kRsqrt, 1.5}, {Op::kSin, 2},   {Op::kCos, 2},   {Op::kTan, 4},   {Op::kAsin, 4},
                        {Op::kAcos, 4},    {Op::kAtan, 3},  {Op::kSinh, 3},  {Op::kCosh, 3},  {Op::kTanh, 3},
                        {Op::kAsinh, 4},   {Op::kAcosh, 4}, {Op::kAtanh, 4}, {Op::kFloor, 0}, {Op::kCeil, 0},
                        {Op::kRound, 0},   {Op::kTrunc, 0}, {Op::kNeg, 0},   {Op::kAbs, 0},   {Op::kSign, 0}};
  std::vector<double> want(xs.size());
  std::vector<float> got(xs.size());
  for (const Stated& s : all) {
    SCOPED_TRACE(ir::name_of(s.op));
    for (size_t i = 0; i < xs.size(); ++i) want[i] = ir::evaluate(s.op, ir::Type::f32, {xs[i], 0}, {}, {}).f;
    for_each_target([&] {
      TileArgs args;
      args.out = got.data();
      args.in[0] = xs.data();
      args.n = static_cast<int>(xs.size());
      tile_ops().fn[static_cast<int>(s.op)][0](args);
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < xs.size(); ++i) {
        const double e = ulp_error(got[i], want[i]);
        if (e > worst) worst = e, at = i;
      }
      EXPECT_LE(worst, s.ulp) << "x = " << xs[at] << ", want " << want[at] << ", got " << got[at];
      const bool same_sign = std::isnan(want[1]) || std::signbit(got[1]) == std::signbit(static_cast<float>(want[1]));
      EXPECT_TRUE(same_sign) << "at -0: " << got[1];
      if (std::getenv("TSR_PRINT")) std::printf("%s %.2f\n", ir::name_of(s.op), worst);
    });
  }
}

TEST(SimdMath, BinaryErrors) {
  const std::vector<float> some{0.0f,    -0.0f,       1.0f,  -1.0f,       2.0f,        -2.0f,       3.0f,   -3.0f,
                                0.5f,    -0.5f,       kInf,  -kInf,       kNan,        1e-40f,      1e-45f, 1e30f,
                                -1e30f,  1.5f,        -1.5f, 16777216.0f, 16777217.0f, 16777218.0f, 0.1f,   127.0f,
                                -149.0f, 33554431.0f, 7.0f,  1.0000001f,  0.9999999f};
  std::vector<float> x, y;
  for (const float a : some) {
    for (const float b : some) x.push_back(a), y.push_back(b);
  }
  uint32_t seed = 1;
  const auto uniform = [&seed](float low, float high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * static_cast<float>(seed >> 8) * 0x1p-24f;
  };
  for (int i = 0; i < 200000; ++i) {
    x.push_back(std::exp2(uniform(-30, 30)) * (i % 3 ? 1.0f : -1.0f));
    y.push_back(i % 5 ? uniform(-20, 20) : std::round(uniform(-9, 9)));
  }
  while (x.size() % 16) x.push_back(1), y.push_back(1);
  const Stated all[] = {{Op::kPow, 1}, {Op::kAtan2, 3},  {Op::kRem, 0},    {Op::kFloorMod, 0}, {Op::kMin, 0},
                        {Op::kMax, 0}, {Op::kAdd, 0.51}, {Op::kSub, 0.51}, {Op::kMul, 0.51},   {Op::kDiv, 0.51}};
  std::vector<float> got(x.size());
  for (const Stated& s : all) {
    SCOPED_TRACE(ir::name_of(s.op));
    for_each_target([&] {
      TileArgs args;
      args.out = got.data();
      args.in[0] = x.data();
      args.in[1] = y.data();
      args.n = static_cast<int>(x.size());
      tile_ops().fn[static_cast<int>(s.op)][0](args);
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        double want = ir::evaluate(s.op, ir::Type::f32, {x[i], 0}, {y[i], 0}, {}).f;
        if (s.op == Op::kFloorMod || s.op == Op::kRem) {  // exact in float, where double has digits that float lacks
          want = s.op == Op::kRem ? std::fmod(x[i], y[i]) : ir::float_floor_mod(x[i], y[i]);
        }
        const double e = ulp_error(got[i], want);
        if (e > worst) worst = e, at = i;
      }
      EXPECT_LE(worst, s.ulp) << "x = " << x[at] << ", y = " << y[at] << ", got " << got[at];
      if (std::getenv("TSR_PRINT")) std::printf("%s %.2f\n", ir::name_of(s.op), worst);
    });
  }
}

TEST(SimdMath, IntegersAndMasksAreExact) {
  const std::vector<int32_t> some{0,     1,       -1,        2,         -2,        3,
                                  -3,    7,       -7,        31,        32,        33,
                                  255,   65537,   -65537,    INT32_MAX, INT32_MIN, INT32_MIN + 1,
                                  46341, 1 << 30, 123456789, -987654321};
  std::vector<int32_t> x, y;
  for (const int32_t a : some) {
    for (const int32_t b : some) x.push_back(a), y.push_back(b);
  }
  while (x.size() % 16) x.push_back(1), y.push_back(1);
  std::vector<int32_t> got(x.size());
  for_each_target([&] {
    for (int o = static_cast<int>(Op::kNeg); o <= static_cast<int>(Op::kOr); ++o) {
      const Op op = static_cast<Op>(o);
      SCOPED_TRACE(ir::name_of(op));
      if (const TileFn fn = tile_ops().fn[o][1]) {
        TileArgs args;
        args.out = got.data();
        args.in[0] = x.data();
        args.in[1] = y.data();
        args.n = static_cast<int>(x.size());
        fn(args);
        for (size_t i = 0; i < x.size(); ++i) {
          const ir::Value v = ir::evaluate(op, ir::Type::i32, {0, x[i]}, {0, y[i]}, {});
          int32_t want = v.i;
          if (op == Op::kToF32 || op == Op::kBitsToF32) want = std::bit_cast<int32_t>(static_cast<float>(v.f));
          if ((op >= Op::kEq && op <= Op::kGe) || op == Op::kToB1) want = -want;
          if (op == Op::kBitsToF32) want = x[i];
          ASSERT_EQ(got[i], want) << x[i] << ", " << y[i];
        }
      }
      if (const TileFn fn = tile_ops().fn[o][2]) {
        std::vector<int32_t> a(16), b(16), r(16);
        for (int i = 0; i < 16; ++i) a[static_cast<size_t>(i)] = -(i & 1), b[static_cast<size_t>(i)] = -((i >> 1) & 1);
        TileArgs args;
        args.out = r.data();
        args.in[0] = a.data();
        args.in[1] = b.data();
        args.n = 16;
        fn(args);
        for (size_t i = 0; i < 16; ++i) {
          const ir::Value v = ir::evaluate(op, ir::Type::b1, {0, -a[i]}, {0, -b[i]}, {});
          const int32_t want = op == Op::kToF32   ? std::bit_cast<int32_t>(static_cast<float>(v.f))
                               : op == Op::kToI32 ? v.i
                                                  : -v.i;
          ASSERT_EQ(r[i], want) << a[i] << ", " << b[i];
        }
      }
    }
  });
}

TEST(SimdMath, ConversionsSaturate) {
  std::vector<float> x{0.0f,  -0.9f, 1.9f,  -1.9f, 2147483520.0f, 2147483648.0f, 3e9f,      -2147483648.0f,
                       -3e9f, kInf,  -kInf, kNan,  1e-40f,        16777216.0f,   123456.7f, -5.5f};
  std::vector<int32_t> got(16);
  for_each_target([&] {
    for (const Op op : {Op::kToI32, Op::kToB1, Op::kIsNan, Op::kIsInf, Op::kIsFinite}) {
      TileArgs args;
      args.out = got.data();
      args.in[0] = x.data();
      args.n = 16;
      tile_ops().fn[static_cast<int>(op)][0](args);
      for (size_t i = 0; i < 16; ++i) {
        const int32_t want = ir::evaluate(op, ir::Type::f32, {x[i], 0}, {}, {}).i;
        EXPECT_EQ(got[i], op == Op::kToI32 ? want : -want) << ir::name_of(op) << " " << x[i];
      }
    }
  });
}

TEST(SimdMath, HalvesWiden) {
  std::vector<uint16_t> h(65536);
  for (size_t i = 0; i < h.size(); ++i) h[i] = static_cast<uint16_t>(i);
  std::vector<float> got(h.size());
  for_each_target([&] {
    tile_ops().f32_from_f16(got.data(), h.data(), 65536);
    for (uint32_t i = 0; i < 65536; ++i) {
      const uint32_t e = (i >> 10) & 31, m = i & 1023;
      double want = e == 0    ? std::ldexp(m, -24)
                    : e == 31 ? (m ? NAN : HUGE_VAL)
                              : std::ldexp(1024 + m, static_cast<int>(e) - 25);
      if (i & 0x8000) want = -want;
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(got[i]));
      else
        ASSERT_EQ(got[i], static_cast<float>(want)) << i;
    }
  });
}

}  // namespace
}  // namespace tsr::simd
