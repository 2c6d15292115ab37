#include "backends/cpu/kernels/resize.h"

#include <gtest/gtest.h>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

KERNEL_TEST(CpuResize, BilinearAndNearest) {
  ThreadPool pool(2);
  Random random(1);
  for (int64_t c : {1, 3, 4, 19})
    for (auto [in_h, in_w, out_h, out_w] : {std::array<int64_t, 4>{5, 7, 10, 14}, {5, 7, 3, 4}, {4, 4, 4, 4}, {1, 1, 3, 2}, {6, 5, 1, 1}, {3, 8, 7, 3}})
      for (int mode : {0, 1, 2}) {
        ResizeParams p;
        p.batch = 2, p.in_h = in_h, p.in_w = in_w, p.channels = c, p.out_h = out_h, p.out_w = out_w;
        p.align_corners = mode == 1, p.half_pixel_centers = mode == 2;
        const int64_t xs = p.batch * in_h * in_w * c, ys = p.batch * out_h * out_w * c;
        const auto x = exact(random.values(xs)), dy = exact(random.values(ys));
        auto scale = [&](int64_t in, int64_t out) {
          return p.align_corners && out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : static_cast<double>(in) / static_cast<double>(out);
        };
        std::vector<double> want, want_nearest, want_dx(static_cast<size_t>(xs)), want_dx_nearest(static_cast<size_t>(xs));
        auto index = [&](int64_t b, double y, double xx, int64_t ch) {
          const int64_t iy = std::min<int64_t>(in_h - 1, std::max<int64_t>(0, static_cast<int64_t>(y)));
          const int64_t ix = std::min<int64_t>(in_w - 1, std::max<int64_t>(0, static_cast<int64_t>(xx)));
          return static_cast<size_t>(((b * in_h + iy) * in_w + ix) * c + ch);
        };
        for (int64_t b = 0; b < p.batch; ++b)
          for (int64_t oy = 0; oy < out_h; ++oy)
            for (int64_t ox = 0; ox < out_w; ++ox)
              for (int64_t ch = 0; ch < c; ++ch) {
                const double half = p.half_pixel_centers ? 0.5 : 0.0;
                const double y = std::max(0.0, (static_cast<double>(oy) + half) * scale(in_h, out_h) - half);
                const double xx = std::max(0.0, (static_cast<double>(ox) + half) * scale(in_w, out_w) - half);
                const double fy = y - std::floor(y), fx = xx - std::floor(xx);
                const double d = dy[want.size()];
                double v = 0;
                for (int i : {0, 1})
                  for (int j : {0, 1}) {
                    const size_t at = index(b, std::floor(y) + i, std::floor(xx) + j, ch);
                    const double weight = (i ? fy : 1 - fy) * (j ? fx : 1 - fx);
                    v += weight * static_cast<double>(x[at]);
                    want_dx[at] += weight * d;
                  }
                want.push_back(v);
                const double ny = (static_cast<double>(oy) + half) * scale(in_h, out_h), nx = (static_cast<double>(ox) + half) * scale(in_w, out_w);
                const double round = p.align_corners ? 0.5 : 0.0;
                const size_t at = index(b, std::floor(ny + round), std::floor(nx + round), ch);
                want_nearest.push_back(x[at]);
                want_dx_nearest[at] += d;
              }
        const auto y = exact(poisoned(ys)), dx = exact(poisoned(xs));
        Scratch scratch(resize_scratch_bytes(p));
        resize_bilinear(p, x.get(), y.get(), scratch.data(), pool);
        expect_near(want, y.get(), 1e-6, "resize_bilinear");
        resize_nearest(p, x.get(), y.get(), scratch.data(), pool);
        expect_near(want_nearest, y.get(), 0, "resize_nearest");
        resize_bilinear_backprop(p, dy.get(), dx.get(), pool);
        expect_near(want_dx, dx.get(), 1e-6, "resize_bilinear_backprop");
        resize_nearest_backprop(p, dy.get(), dx.get(), pool);
        expect_near(want_dx_nearest, dx.get(), 1e-6, "resize_nearest_backprop");
      }
}

}  // namespace
}  // namespace tsr::cpu::test
