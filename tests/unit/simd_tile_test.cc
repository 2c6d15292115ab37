// Tile programs against the interpreter: every way of walking memory, on every instruction set of this machine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "simd/targets.h"

#include "base/error.h"
#include "hwy/highway.h"
#include "hwy/targets.h"
#include "ir/body.h"
#include "simd/tile_program.h"

namespace tsr::simd {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::Type;

/// Random elements of any dtype; f32 values are multiples of 1/8 in [-4, 4], so that sums differ little by order;
/// integers are small.
std::vector<char> random_data(DType t, int64_t n, uint32_t seed) {
  std::vector<char> out(static_cast<size_t>(n) * size_of(t) + 1);
  for (int64_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const int v = static_cast<int>(seed >> 26) - 32;
    char* p = out.data() + static_cast<size_t>(i) * size_of(t);
    switch (t) {
      case DType::kFloat32: {
        const float f = static_cast<float>(v) / 8.0f;
        std::memcpy(p, &f, 4);
        break;
      }
      case DType::kInt32: {
        const int32_t k = v;
        std::memcpy(p, &k, 4);
        break;
      }
      case DType::kFloat16: {
        const uint16_t h = static_cast<uint16_t>(0x3c00 + (v & 31) * 32 + (v < 0 ? 0x8000 : 0));
        std::memcpy(p, &h, 2);
        break;
      }
      case DType::kUint16: {
        const uint16_t h = static_cast<uint16_t>(v + 40);
        std::memcpy(p, &h, 2);
        break;
      }
      case DType::kBool:
        *p = static_cast<char>(v & 1);
        break;
      default:
        *p = static_cast<char>(v + (t == DType::kUint8 ? 40 : 0));
        break;
    }
  }
  return out;
}

using Body = std::function<Expr(BodyCtx&)>;

void compare(const char* what, std::vector<TensorType> in, TensorType out, const Body& body, double tolerance = 0) {
  SCOPED_TRACE(what);
  const Attrs attrs;
  BodyCtx ctx(in, out, attrs);
  const Expr e = body(ctx);
  const ir::Kernel k = ctx.finish(what, e);
  std::vector<std::vector<char>> data;
  std::vector<ir::InputView> views;
  std::vector<const void*> pointers;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < in.size(); ++i)
    data.push_back(random_data(in[i].dtype, in[i].shape.size(), 17 + static_cast<uint32_t>(i)));
  for (size_t i = 0; i < in.size(); ++i) {
    views.push_back({data[i].data(), in[i].dtype, in[i].shape});
    pointers.push_back(data[i].data());
    shapes.push_back(in[i].shape);
  }
  const int64_t n = out.shape.size();
  const size_t item = size_of(out.dtype);
  std::vector<char> want(static_cast<size_t>(n) * item + 1);
  ir::interpret(k, views, out.shape, want.data());
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    const TileProgram p = TileProgram::compile(k, shapes, out.shape);
    ASSERT_EQ(p.size(), n);
    std::vector<char> scratch(p.scratch_bytes() + 64);
    void* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
    // In one piece, and in uneven pieces.
    for (const int64_t piece : {n, int64_t{37}, std::max<int64_t>(p.grain(), 1)}) {
      std::vector<char> got(static_cast<size_t>(n) * item + 128, 0x7f);
      for (int64_t at = 0; at < n; at += std::max<int64_t>(piece, 1)) {
        p.run(pointers, got.data() + 64, k.params, at, std::min(n, at + piece), aligned);
      }
      for (size_t i = 0; i < 64; ++i) {
        ASSERT_EQ(got[i], 0x7f) << "wrote before the start";
        ASSERT_EQ(got[64 + static_cast<size_t>(n) * item + i], 0x7f) << "wrote past the end";
      }
      for (int64_t i = 0; i < n; ++i) {
        const char* g = got.data() + 64 + static_cast<size_t>(i) * item;
        const char* w = want.data() + static_cast<size_t>(i) * item;
        if (out.dtype == DType::kFloat32) {
          float gf, wf;
          std::memcpy(&gf, g, 4);
          std::memcpy(&wf, w, 4);
          const bool ok = std::isnan(wf) ? std::isnan(gf)
                                         : gf == wf || std::fabs(gf - wf) <= tolerance * std::max(1.0f, std::fabs(wf));
          ASSERT_TRUE(ok) << hwy::TargetName(target) << " piece " << piece << " element " << i << ": got " << gf
                          << ", want " << wf << "\n"
                          << print(k);
        } else {
          ASSERT_EQ(std::memcmp(g, w, item), 0)
              << hwy::TargetName(target) << " piece " << piece << " element " << i << "\n"
              << print(k);
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TensorType f32(const Shape& s) { return {s, DType::kFloat32}; }
TensorType i32(const Shape& s) { return {s, DType::kInt32}; }
TensorType b1(const Shape& s) { return {s, DType::kBool}; }

Expr chain(BodyCtx& c) {
  const Expr x = c.in(0).broadcast(Type::f32);
  const Expr y = c.in(1).broadcast(Type::f32);
  return max(x * y + c.pf(0.5), 0.0) - y * 0.25;
}

TEST(SimdTile, Elementwise) {
  for (const Shape& s :
       {Shape{}, Shape{1}, Shape{7}, Shape{513}, Shape{5, 7, 11}, Shape{3, 1024}, Shape{2000}, Shape{0}, Shape{3, 0}}) {
    compare("chain", {f32(s), f32(s)}, f32(s), chain);
  }
  compare("scalar", {f32({33, 40}), f32({})}, f32({33, 40}), chain);
  compare("row", {f32({33, 40}), f32({40})}, f32({33, 40}), chain);
  compare("column", {f32({33, 40}), f32({33, 1})}, f32({33, 40}), chain);
  compare("short rows", {f32({50, 9, 3}), f32({3})}, f32({50, 9, 3}), chain);
  compare("short columns", {f32({50, 9, 3}), f32({50, 1, 1})}, f32({50, 9, 3}), chain);
  compare("both", {f32({5, 1, 70}), f32({1, 6, 70})}, f32({5, 6, 70}), chain);
  compare("outer", {f32({61, 1}), f32({1, 3})}, f32({61, 3}), chain);
  compare("middle", {f32({4, 5, 6, 7}), f32({5, 1, 7})}, f32({4, 5, 6, 7}), chain);
}

TEST(SimdTile, EveryDtype) {
  for (const DType a :
       {DType::kFloat32, DType::kInt32, DType::kBool, DType::kFloat16, DType::kInt8, DType::kUint8, DType::kUint16}) {
    compare("widen", {{{5, 201}, a}, f32({201})}, f32({5, 201}), chain);
    compare("widen short", {{{50, 3}, a}, {{3}, a}}, f32({50, 3}), chain);
    compare("widen scalar", {f32({201}), {{}, a}}, f32({201}), chain);
    compare("to bool", {{{300}, a}}, b1({300}), [](BodyCtx& c) { return c.in(0).broadcast(Type::f32) > 0.0; });
    compare("to int", {{{300}, a}}, i32({300}), [](BodyCtx& c) { return to_i32(c.in(0).broadcast(Type::f32) * 3.7); });
  }
  compare("copy of bool", {b1({77})}, b1({77}), [](BodyCtx& c) { return c.in(0).broadcast(); });
  compare("copy", {f32({77})}, f32({77}), [](BodyCtx& c) { return c.in(0).broadcast(); });
  compare("logic", {b1({20, 30}), b1({30})}, b1({20, 30}), [](BodyCtx& c) {
    return (c.in(0).broadcast() && !c.in(1).broadcast()) || (c.in(0).broadcast() == c.in(1).broadcast());
  });
  compare("constant", {}, f32({4, 50}), [](BodyCtx& c) { return c.pf(2.5); });
  compare("constant bool", {}, b1({4, 50}), [](BodyCtx& c) { return c.pi(1) == 1; });
  compare("axes", {}, i32({40, 50, 3}),
          [](BodyCtx& c) { return c.out(0) * 1000 + c.out(1) * 7 - c.out(2) + c.out_dim(1); });
  compare("axes in rows", {}, i32({4, 50}), [](BodyCtx& c) { return c.out(0) * 1000 + (c.out(1) ^ 5); });
}

TEST(SimdTile, Moves) {
  compare("transpose", {f32({37, 41})}, f32({41, 37}), [](BodyCtx& c) { return c.in(0)({c.out(1), c.out(0)}); });
  compare("transpose short", {f32({37, 3})}, f32({3, 37}), [](BodyCtx& c) { return c.in(0)({c.out(1), c.out(0)}); });
  compare("reverse", {f32({6, 100})}, f32({6, 100}), [](BodyCtx& c) {
    return c.in(0)({c.out(0), c.in(0).dim(1) - 1 - c.out(1)});
  });
  compare("slice", {f32({9, 100})}, f32({4, 45}), [](BodyCtx& c) {
    return c.in(0)({c.out(0) + c.pi(2), c.out(1) * 2 + c.pi(3)});
  });
  compare("tile", {f32({5, 7})}, f32({20, 21}), [](BodyCtx& c) {
    return c.in(0)({floor_mod(c.out(0), c.in(0).dim(0)), floor_mod(c.out(1), c.in(0).dim(1))});
  });
  compare("pad", {f32({5, 30})}, f32({9, 40}), [](BodyCtx& c) {
    const Expr y = c.out(0) - c.pi(2), x = c.out(1) - c.pi(4);
    const Expr ok = y >= 0 && y < c.in(0).dim(0) && x >= 0 && x < c.in(0).dim(1);
    return select(ok, c.in(0)({clamp(y, 0, c.in(0).dim(0) - 1), clamp(x, 0, c.in(0).dim(1) - 1)}), c.pf(-1));
  });
  compare("gather", {f32({12, 64}), i32({20})}, f32({20, 64}), [](BodyCtx& c) {
    return c.in(0)({clamp(c.in(1)({c.out(0)}), 0, c.in(0).dim(0) - 1), c.out(1)});
  });
  compare("gather last", {f32({12, 64}), i32({50})}, f32({12, 50}), [](BodyCtx& c) {
    return c.in(0)({c.out(0), clamp(c.in(1)({c.out(1)}), 0, c.in(0).dim(1) - 1)});
  });
  compare("from nothing", {f32({0}), f32({30})}, f32({30}),
          [](BodyCtx& c) { return c.in(0)({clamp(c.out(0), 0, c.in(0).dim(0) - 1)}) + c.in(1).broadcast(); });
  compare("concat", {f32({6, 20}), f32({6, 31})}, f32({6, 51}), [](BodyCtx& c) {
    const Expr first = c.in(0).dim(1);
    return select(c.out(1) < first, c.in(0)({c.out(0), min(c.out(1), first - 1)}),
                  c.in(1)({c.out(0), max(c.out(1) - first, 0)}));
  });
  compare("depth to space", {f32({2, 3, 4, 8})}, f32({2, 6, 8, 2}), [](BodyCtx& c) {
    return c.in(0)({c.out(0), c.out(1) / 2, c.out(2) / 2, (c.out(1) % 2 * 2 + c.out(2) % 2) * 2 + c.out(3)});
  });
}

TEST(SimdTile, Reductions) {
  for (const Shape& s :
       {Shape{3, 5, 70}, Shape{40, 6, 3}, Shape{2, 700, 33}, Shape{1, 1300, 1}, Shape{2, 0, 3}, Shape{600, 2, 9}}) {
    for (int axis = 0; axis < 3; ++axis) {
      Shape o = s;
      o.erase(axis);
      for (const ir::Reduce r : {ir::Reduce::sum, ir::Reduce::max, ir::Reduce::min, ir::Reduce::argmax,
                                 ir::Reduce::argmin, ir::Reduce::any, ir::Reduce::all, ir::Reduce::prod}) {
        const bool arg = r == ir::Reduce::argmax || r == ir::Reduce::argmin;
        const bool logic = r == ir::Reduce::any || r == ir::Reduce::all;
        for (const DType t : {DType::kFloat32, DType::kInt32}) {
          if (r == ir::Reduce::prod && t == DType::kFloat32) continue;
          compare(
              name_of(r), {{s, t}},
              {o, logic ? DType::kBool
                  : arg ? DType::kInt32
                        : t},
              [&](BodyCtx& c) {
                std::vector<Expr> index = c.out_index();
                return reduce(r, c.in(0).dim(axis), [&](Expr v) {
                  index.insert(index.begin() + axis, v);
                  const Expr x = c.in(0)(index);
                  return logic ? x < 3 : x;
                });
              },
              1e-6);
        }
      }
    }
  }
  compare(
      "all axes", {f32({20, 30, 3})}, f32({}),
      [](BodyCtx& c) {
        return reduce(ir::Reduce::sum, c.in(0).dim(0), [&](Expr i) {
          return reduce(ir::Reduce::sum, c.in(0).dim(1), [&](Expr j) {
            return reduce(ir::Reduce::sum, c.in(0).dim(2), [&](Expr k) { return c.in(0)({i, j, k}); });
          });
        });
      },
      1e-6);
  compare("of constants", {}, f32({40}), [](BodyCtx& c) {
    return reduce(ir::Reduce::sum, ir::i32(70), [&](Expr) { return c.pf(0.5); }) + to_f32(c.out(0));
  });
  compare("of its variable", {}, f32({3}), [](BodyCtx& c) {
    return reduce(ir::Reduce::sum, ir::i32(1000), [&](Expr v) { return to_f32(v * c.out(0)); });
  });
}

TEST(SimdTile, Composed) {
  compare(
      "softmax", {f32({9, 70})}, f32({9, 70}),
      [](BodyCtx& c) {
        const Expr n = c.in(0).dim(1);
        const Expr top = reduce(ir::Reduce::max, n, [&](Expr v) { return c.in(0)({c.out(0), v}); });
        const Expr total = reduce(ir::Reduce::sum, n, [&](Expr v) { return exp(c.in(0)({c.out(0), v}) - top); });
        return exp(c.in(0).broadcast() - top) / total;
      },
      1e-5);
  compare(
      "softmax short", {f32({50, 5})}, f32({50, 5}),
      [](BodyCtx& c) {
        const Expr n = c.in(0).dim(1);
        const Expr total = reduce(ir::Reduce::sum, n, [&](Expr v) { return exp(c.in(0)({c.out(0), v})); });
        return exp(c.in(0).broadcast()) / total;
      },
      1e-5);
  const auto matmul = [](bool transposed) {
    return [transposed](BodyCtx& c) {
      return reduce(ir::Reduce::sum, c.in(0).dim(1), [&](Expr v) {
        return c.in(0)({c.out(0), v}) * (transposed ? c.in(1)({c.out(1), v}) : c.in(1)({v, c.out(1)}));
      });
    };
  };
  compare("matmul", {f32({17, 100}), f32({100, 23})}, f32({17, 23}), matmul(false), 1e-5);
  compare("matmul transposed", {f32({17, 100}), f32({23, 100})}, f32({17, 23}), matmul(true), 1e-5);
  compare(
      "conv", {f32({2, 9, 11, 4}), f32({3, 3, 4, 10})}, f32({2, 5, 6, 10}),
      [](BodyCtx& c) {
        const ir::In x = c.in(0), w = c.in(1);
        return reduce(ir::Reduce::sum, w.dim(0), [&](Expr u) {
          return reduce(ir::Reduce::sum, w.dim(1), [&](Expr v) {
            const Expr y = c.out(1) * 2 + u - 1, z = c.out(2) * 2 + v - 1;
            const Expr ok = y >= 0 && y < x.dim(1) && z >= 0 && z < x.dim(2);
            return reduce(ir::Reduce::sum, w.dim(2), [&](Expr k) {
              return select(ok, x({c.out(0), clamp(y, 0, x.dim(1) - 1), clamp(z, 0, x.dim(2) - 1), k}), 0.0) *
                     w({u, v, k, c.out(3)});
            });
          });
        });
      },
      1e-5);
  compare("pool", {f32({2, 8, 8, 3})}, f32({2, 4, 4, 3}), [](BodyCtx& c) {
    return reduce(ir::Reduce::max, ir::i32(2), [&](Expr u) {
      return reduce(ir::Reduce::max, ir::i32(2), [&](Expr v) {
        return c.in(0)({c.out(0), c.out(1) * 2 + u, c.out(2) * 2 + v, c.out(3)});
      });
    });
  });
  compare(
      "cumsum", {f32({5, 60})}, f32({5, 60}),
      [](BodyCtx& c) {
        return reduce(ir::Reduce::sum, c.in(0).dim(1), [&](Expr v) {
          return select(v <= c.out(1), c.in(0)({c.out(0), v}), 0.0);
        });
      },
      1e-6);
  compare(
      "two reductions", {f32({30, 40})}, f32({30}),
      [](BodyCtx& c) {
        const Expr a = reduce(ir::Reduce::sum, c.in(0).dim(1), [&](Expr v) { return c.in(0)({c.out(0), v}); });
        const Expr b = reduce(ir::Reduce::max, c.in(0).dim(1), [&](Expr v) { return c.in(0)({c.out(0), v}); });
        return a * 0.5 - b;
      },
      1e-6);
}

TEST(SimdTile, LongSumsAreAccurate) {
  // An accumulator adds 32 values of a tile (128 where a vector is one lane) before the tile's sum goes on in double precision,
  // and equal values all round the same way: below 2e-7 with vectors of 8 and more, 3e-7 with 4, 1e-6 with one lane. A running sum of all
  // would be off by some per cent.
  const auto bound_of = [](int64_t target) { return target <= HWY_AVX2 ? 2e-7 : target >= HWY_EMU128 ? 2e-6 : 5e-7; };
  const int64_t n = 1 << 20;
  std::vector<float> x(static_cast<size_t>(n), 0.1f);
  for (const bool across : {false, true}) {
    const Attrs attrs;
    const TensorType in[] = {f32(across ? Shape{n / 4, 4} : Shape{n})};
    BodyCtx c(in, f32(across ? Shape{4} : Shape{}), attrs);
    const Expr e = reduce(ir::Reduce::sum, c.in(0).dim(0), [&](Expr v) {
      return across ? c.in(0)({v, c.out(0)}) : c.in(0)({v});
    });
    const ir::Kernel k = c.finish("sum", e);
    const Shape shapes[] = {in[0].shape};
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      const TileProgram p = TileProgram::compile(k, shapes, across ? Shape{4} : Shape{});
      std::vector<char> scratch(p.scratch_bytes() + 64);
      float out[4] = {};
      const void* inputs[] = {x.data()};
      p.run(inputs, out, k.params, 0, across ? 4 : 1,
            scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64);
      const double want = static_cast<double>(0.1f) * static_cast<double>(across ? n / 4 : n);
      EXPECT_NEAR(out[0] / want, 1, bound_of(target)) << hwy::TargetName(target) << (across ? " across" : " along");
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace
}  // namespace tsr::simd
