// The native GLES driver alone: shaders and command lists written by hand, as the JavaScript drivers' own tests do.
#ifdef TESSERA_GL

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "backends/gpu/command_list.h"
#include "backends/webgl/egl_driver.h"
#include "base/error.h"

namespace tsr::gpu {
namespace {

constexpr const char* kAxpy =
    "#version 300 es\n"
    "precision highp float; precision highp int;\n"
    "uniform highp sampler2D x0; uniform highp sampler2D x1; uniform ivec4 u[1]; out vec4 y;\n"
    "void main() {\n"
    "  ivec2 p = ivec2(gl_FragCoord.xy);\n"
    "  y = texelFetch(x0, p, 0) * intBitsToFloat(u[0].y) + texelFetch(x1, p, 0);\n"
    "}\n";

std::unique_ptr<GpuDriver> driver_or_null() {
  try {
    return make_egl_driver();
  } catch (const Error&) {
    return nullptr;
  }
}

std::vector<uint32_t> words_of(const std::vector<float>& v) {
  std::vector<uint32_t> w;
  for (const float x : v) w.push_back(std::bit_cast<uint32_t>(x));
  w.resize((w.size() + 3) / 4 * 4);
  return w;
}

std::vector<float> read(GpuDriver& d, uint32_t request, uint32_t id, uint32_t n) {
  d.begin_read(request, id, n);
  d.read_wait(request);
  EXPECT_EQ(d.poll_read(request), ReadState::kDone);
  std::vector<uint32_t> w(n);
  d.take_read(request, w);
  std::vector<float> v;
  for (const uint32_t x : w) v.push_back(std::bit_cast<float>(x));
  return v;
}

void round_trip(GpuDriver& d, uint32_t base) {
  const MemoryDesc desc{.bytes = 8 * 4 * 16, .width = 8, .height = 4};
  std::vector<float> a, b;
  for (int i = 0; i < 100; ++i) {
    a.push_back(0.5f * static_cast<float>(i));
    b.push_back(-static_cast<float>(i));
  }
  for (uint32_t id = 1; id <= 4; ++id) d.create_memory(base + id, desc);
  d.upload(base + 1, words_of(a));
  d.upload(base + 2, words_of(b));
  const Element inputs[] = {Element::kFloat, Element::kFloat};
  d.create_program(base + 1, {.text = kAxpy, .uniform_words = 4, .inputs = inputs});
  CommandList list;
  const uint32_t ab[] = {base + 1, base + 2}, cc[] = {base + 3, base + 3};
  const uint32_t three[] = {100, std::bit_cast<uint32_t>(3.0f), 0, 0}, minus[] = {100, std::bit_cast<uint32_t>(-1.5f), 0, 0};
  list.run(base + 1, base + 3, ab, three, {8, 0, 2});
  list.run(base + 1, base + 3, ab, three, {8, 2, 2});  // the other rows
  list.run(base + 1, base + 4, cc, minus, {8, 0, 4});
  d.encode(list.words());
  const std::vector<float> y = read(d, base + 1, base + 4, 100);
  EXPECT_EQ(d.take_error(), "");
  for (size_t i = 0; i < 100; ++i) {
    const float c = a[i] * 3 + b[i];
    ASSERT_EQ(y[i], c * -1.5f + c) << i;
  }
}

TEST(GpuEgl, ReplaysCommandListsAndSurvivesALoss) {
  const auto d = driver_or_null();
  if (!d) GTEST_SKIP() << "no GLES 3 here";
  EXPECT_GE(d->limits().max_inputs, 16u);
  round_trip(*d, 0);
  d->begin_read(90, 4, 100);
  lose_context_for_test(*d);
  EXPECT_EQ(d->epoch(), 1u);
  EXPECT_EQ(d->poll_read(90), ReadState::kFailed);
  round_trip(*d, 100);
}

TEST(GpuEgl, ABrokenShaderIsReported) {
  const auto d = driver_or_null();
  if (!d) GTEST_SKIP() << "no GLES 3 here";
  d->create_program(1, {.text = "#version 300 es\nnot a shader", .uniform_words = 0, .inputs = {}});
  EXPECT_NE(d->take_error().find("does not compile"), std::string::npos);
  round_trip(*d, 10);
}

}  // namespace
}  // namespace tsr::gpu

#endif  // TESSERA_GL
