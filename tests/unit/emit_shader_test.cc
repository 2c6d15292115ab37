// Emitted GLSL on a real driver (EGL without a window) against the interpreter. With TESSERA_DUMP_WGSL=<folder> the
// same launches are also written as WGSL with their data and expected results, for tests/gpu/run_wgsl.mjs.
#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/error.h"
#include "core/op_def.h"
#include "emit/glsl.h"
#include "emit/wgsl.h"
#include "ir/body.h"

#if TESSERA_GL
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#endif

namespace tsr::emit {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::Type;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

#if TESSERA_GL

class Gl {
 public:
  static Gl* get() {
    static std::unique_ptr<Gl> gl = make();
    return gl.get();
  }

  /// Words of an input or output: floats by their bits, integers, bool as 0 or 1.
  std::vector<uint32_t> run(const ir::Kernel& k, const std::vector<std::vector<uint32_t>>& inputs,
                            const std::vector<Shape>& shapes, const Shape& out_shape) {
    const Shader shader = emit_glsl(k);
    const GLuint program = glCreateProgram();
    attach(program, GL_VERTEX_SHADER, glsl_vertex_shader());
    attach(program, GL_FRAGMENT_SHADER, shader.text);
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    EXPECT_TRUE(ok) << shader.text;
    glUseProgram(program);
    std::vector<GLuint> textures;
    std::vector<int> widths;
    for (size_t i = 0; i < inputs.size(); ++i) {
      // Narrow, so that rows end inside tensors.
      const TextureSize size = texture_for(static_cast<int64_t>(inputs[i].size()), 4);
      widths.push_back(size.width);
      glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(i));
      textures.push_back(texture(ir::type_of(k.inputs[i].dtype) == Type::f32, size, inputs[i]));
      glUniform1i(glGetUniformLocation(program, ("x" + std::to_string(i)).c_str()), static_cast<GLint>(i));
    }
    const bool is_float = k.body.type() == Type::f32;
    const TextureSize size = texture_for(out_shape.size(), 4);
    glActiveTexture(GL_TEXTURE15);
    textures.push_back(texture(is_float, size, {}));
    GLuint frame = 0;
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures.back(), 0);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), static_cast<GLenum>(GL_FRAMEBUFFER_COMPLETE));
    const std::vector<uint32_t> words = glsl_words(k, shapes, out_shape, widths, size.width);
    glUniform4iv(glGetUniformLocation(program, "u"), static_cast<GLsizei>(words.size() / 4),
                 reinterpret_cast<const GLint*>(words.data()));
    glViewport(0, 0, size.width, size.height);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    std::vector<uint32_t> texels(static_cast<size_t>(size.width) * static_cast<size_t>(size.height) * 4);
    glReadPixels(0, 0, size.width, size.height, is_float ? GL_RGBA : GL_RGBA_INTEGER, is_float ? GL_FLOAT : GL_INT,
                 texels.data());
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << shader.text;
    texels.resize(static_cast<size_t>(out_shape.size()));
    glDeleteFramebuffers(1, &frame);
    glDeleteTextures(static_cast<GLsizei>(textures.size()), textures.data());
    glDeleteProgram(program);
    return texels;
  }

 private:
  static std::unique_ptr<Gl> make() {
    const auto get_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (!get_display) return nullptr;
    const EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (!display || !eglInitialize(display, nullptr, nullptr)) return nullptr;
    eglBindAPI(EGL_OPENGL_ES_API);
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    eglChooseConfig(display, wanted, &config, 1, &count);
    const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
    const EGLContext context = eglCreateContext(display, config, nullptr, attributes);
    if (!context || !eglMakeCurrent(display, nullptr, nullptr, context)) return nullptr;
    return std::make_unique<Gl>();
  }
  static void attach(GLuint program, GLenum kind, const std::string& text) {
    const GLuint shader = glCreateShader(kind);
    const char* source = text.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
      char log[2000];
      glGetShaderInfoLog(shader, sizeof log, nullptr, log);
      ADD_FAILURE() << log << text;
    }
    glAttachShader(program, shader);
    glDeleteShader(shader);
  }
  static GLuint texture(bool is_float, TextureSize size, const std::vector<uint32_t>& words) {
    std::vector<uint32_t> texels(static_cast<size_t>(size.width) * static_cast<size_t>(size.height) * 4, 0xdeadbeefu);
    std::copy(words.begin(), words.end(), texels.begin());
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, is_float ? GL_RGBA32F : GL_RGBA32I, size.width, size.height, 0,
                 is_float ? GL_RGBA : GL_RGBA_INTEGER, is_float ? GL_FLOAT : GL_INT, texels.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
  }
};

#else
struct Gl {
  static Gl* get() { return nullptr; }
  std::vector<uint32_t> run(const ir::Kernel&, const std::vector<std::vector<uint32_t>>&, const std::vector<Shape>&,
                            const Shape&) {
    return {};
  }
};
#endif

uint32_t bits(float f) {
  uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}
float as_float(uint32_t b) {
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}

void dump_wgsl(const ir::Kernel& k, const std::vector<std::vector<uint32_t>>& inputs, const std::vector<Shape>& shapes,
               const Shape& out, const std::vector<uint32_t>& want, double tolerance) {
  const char* folder = std::getenv("TESSERA_DUMP_WGSL");
  if (!folder) return;
  static int count = 0;
  std::ofstream f(std::string(folder) + "/" + std::to_string(count++) + ".json");
  const auto list = [&f](const std::vector<uint32_t>& v) {
    f << "[";
    for (size_t i = 0; i < v.size(); ++i) f << (i ? "," : "") << v[i];
    f << "]";
  };
  std::string text;
  for (const char c : emit_wgsl(k).text)
    text += c == '\n' ? std::string("\\n") : c == '"' ? std::string("\\\"") : std::string(1, c);
  const Grid grid = grid_for(out.size());
  f << "{\"name\":\"" << k.name << "\",\"text\":\"" << text << "\",\"float\":" << (k.body.type() == Type::f32)
    << ",\"tolerance\":" << tolerance << ",\"grid\":[" << grid.x << "," << grid.y << "],\"words\":";
  list(wgsl_words(k, shapes, out));
  f << ",\"inputs\":[";
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i) f << ",";
    list(inputs[i]);
  }
  f << "],\"want\":";
  list(want);
  f << "}";
}

/// Runs the kernel on the interpreter and on the driver. `data` holds words as on a GPU.
void compare(const ir::Kernel& k, const std::vector<std::vector<uint32_t>>& data, const std::vector<Shape>& shapes,
             const Shape& out, double tolerance) {
  std::vector<std::vector<uint8_t>> bools(data.size());
  std::vector<ir::InputView> views;
  for (size_t i = 0; i < data.size(); ++i) {
    const void* p = data[i].data();
    if (k.inputs[i].dtype == DType::kBool) {
      bools[i].assign(data[i].begin(), data[i].end());
      p = bools[i].data();
    }
    views.push_back({p, k.inputs[i].dtype, shapes[i]});
  }
  const size_t n = static_cast<size_t>(out.size());
  std::vector<uint32_t> want(n + 1);
  ir::interpret(k, views, out, want.data());
  if (k.out_dtype == DType::kBool) {
    const std::vector<uint32_t> packed = want;
    for (size_t i = 0; i < n; ++i) want[i] = reinterpret_cast<const uint8_t*>(packed.data())[i];
  }
  want.resize(n);
  dump_wgsl(k, data, shapes, out, want, tolerance);
  const std::vector<uint32_t> got = Gl::get()->run(k, data, shapes, out);
  ASSERT_EQ(got.size(), n);
  for (size_t i = 0; i < n; ++i) {
    if (k.out_dtype == DType::kFloat32) {
      const float g = as_float(got[i]), w = as_float(want[i]);
      const bool ok = std::isnan(w)   ? std::isnan(g)
                      : std::isinf(w) ? g == w
                                      : std::fabs(g - w) <= tolerance * std::max(1.0f, std::fabs(w));
      ASSERT_TRUE(ok) << k.name << " at " << i << " (" << (data.empty() ? 0.0f : as_float(data[0][i % data[0].size()]))
                      << ", " << (data.size() < 2 ? 0.0f : as_float(data[1][i % data[1].size()])) << "): got " << g
                      << ", want " << w;
    } else {
      ASSERT_EQ(static_cast<int32_t>(got[i]), static_cast<int32_t>(want[i]))
          << k.name << " at " << i << " (" << (data.empty() ? 0.0f : as_float(data[0][i % data[0].size()])) << ", "
          << (data.size() < 2 ? 0.0f : as_float(data[1][i % data[1].size()])) << ")";
    }
  }
}

std::vector<uint32_t> special(DType t, size_t n, size_t stride) {
  static const float kF[] = {0.0f, -0.0f,  1.0f,   -1.0f, 0.5f,  -0.5f, 2.5f,    -2.5f,   3.5f,  kInf,   -kInf,
                             kNan, 1e-3f,  -7.25f, 6.0f,  6.5f,  30.f,  -30.f,   80.0f,   -80.f, 1e6f,   -1e6f,
                             2.0f, 0.999f, 1.001f, 3.0f,  -3.0f, 9.7f,  1234.5f, -4321.f, 7e4f,  -1.5e9f};
  static const int32_t kI[] = {0, 1, -1, 2, -2, 3, 7, -7, 100, -100, INT32_MAX, INT32_MIN, 6, 5};
  std::vector<uint32_t> out;
  for (size_t i = 0; i < n; ++i) {
    const size_t j = i / stride;
    if (t == DType::kFloat32)
      out.push_back(bits(kF[j % std::size(kF)]));
    else if (t == DType::kInt32)
      out.push_back(static_cast<uint32_t>(kI[j % std::size(kI)]));
    else
      out.push_back(j % 2);
  }
  return out;
}

Attrs attrs_for(const OpDef& op) {
  if (std::string(op.name) == "clipByValue") {
    const std::pair<std::string, AttrValue> v[] = {{"clipValueMin", -2.0}, {"clipValueMax", 2.5}};
    return make_attrs(op.name, *op.attrs, v);
  }
  if (std::string(op.name) == "cast") {
    const std::pair<std::string, AttrValue> v[] = {{"dtype", DType::kInt32}};
    return make_attrs(op.name, *op.attrs, v);
  }
  return make_attrs(op.name, *op.attrs, std::span<const AttrValue>());
}

TEST(EmitGlsl, ElementwiseOps) {
  if (!Gl::get()) GTEST_SKIP() << "no EGL without a window here";
  for (const OpDef* op : all_ops()) {
    if (!op->elementwise || !op->body || op->inputs.empty() || op->inputs.size() > 3) continue;
    // An op that wants an attribute (broadcastTo's shape) is covered by its case file.
    if (std::any_of(op->attrs->fields().begin(), op->attrs->fields().end(), [](const AttrField& f) { return f.required; })) continue;
    for (const DType t : {DType::kFloat32, DType::kInt32, DType::kBool}) {
      SCOPED_TRACE(std::string(op->name) + " " + name_of(t));
      const std::string name = op->name;
      std::vector<DType> dtypes(op->inputs.size(), t);
      if (name == "where") dtypes[0] = DType::kBool;
      const Attrs attrs = attrs_for(*op);
      const int64_t n = op->inputs.size() == 1 ? 33 : 32 * 32 + 1;
      std::vector<TensorType> types;
      std::vector<std::vector<uint32_t>> data;
      std::vector<Shape> shapes;
      for (size_t i = 0; i < dtypes.size(); ++i) {
        types.push_back({{n}, dtypes[i]});
        shapes.push_back({n});
        data.push_back(special(dtypes[i], static_cast<size_t>(n), i ? 32 : 1));
      }
      std::vector<TensorType> out;
      try {
        infer_types(*op, types, attrs, out);
      } catch (const Error&) {
        continue;  // not for this dtype
      }
      if (t == DType::kFloat32 && (name == "mod" || name == "floorDiv")) {
        // Quotients of huge by tiny have no digits after the point in single precision: leave those out.
        for (size_t i = 0; i < data[0].size(); ++i) {
          const float a = as_float(data[0][i]), b = as_float(data[1][i]);
          if (!(std::fabs(a / b) < 1e3f) || !std::isfinite(b) || b == 0)
            data[0][i] = bits(5.25f), data[1][i] = bits(-2.0f);
        }
      }
      if (t == DType::kInt32 &&
          (name == "div" || name == "divNoNan" || name == "floorDiv" || name == "mod")) { /* exact */
      }
      compare(ir::make_kernel(*op, types, out[0], attrs), data, shapes, out[0].shape, std::max(op->tolerance, 1e-6));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(EmitGlsl, FunctionsOverTheirRange) {
  if (!Gl::get()) GTEST_SKIP() << "no EGL without a window here";
  using Fn = Expr (*)(Expr);
  const std::pair<const char*, Fn> functions[] = {{"sin", [](Expr x) { return sin(x); }},
                                                  {"cos", [](Expr x) { return cos(x); }},
                                                  {"tanh", [](Expr x) { return tanh(x); }},
                                                  {"atan", [](Expr x) { return atan(x); }},
                                                  {"expm1", [](Expr x) { return expm1(x); }},
                                                  {"log1p", [](Expr x) { return log1p(abs(x)); }},
                                                  {"asin", [](Expr x) { return asin(x * 0.01); }},
                                                  {"asinh", [](Expr x) { return asinh(x); }},
                                                  {"log", [](Expr x) { return log(abs(x) + 1e-30); }},
                                                  {"round", [](Expr x) { return round(x); }},
                                                  {"sqrt", [](Expr x) { return sqrt(abs(x)); }}};
  std::vector<uint32_t> x;
  for (int i = -2000; i < 2000; ++i) x.push_back(bits(static_cast<float>(i) * 0.0431f));
  std::vector<uint32_t> wide;
  for (int i = 0; i < 4000; ++i)
    wide.push_back(bits(std::exp2(static_cast<float>(i) * 0.03f + 5) * (i % 2 ? 1.0f : -1.0f)));
  for (const auto& [name, fn] : functions) {
    const ir::Kernel k{name, {{DType::kFloat32, 1}}, 1, DType::kFloat32, fn(ir::load(0, Type::f32, {ir::axis(0)})), {}};
    compare(k, {x}, {{4000}}, {4000}, 1e-5);
    if (name[1] != 'x' && name != std::string("asin")) compare(k, {wide}, {{4000}}, {4000}, 1e-5);
  }
}

struct Case {
  const char* name;
  std::vector<TensorType> in;
  TensorType out;
  std::function<Expr(BodyCtx&)> body;
};

TEST(EmitGlsl, Kernels) {
  if (!Gl::get()) GTEST_SKIP() << "no EGL without a window here";
  const auto f = [](const Shape& s) { return TensorType{s, DType::kFloat32}; };
  const auto i = [](const Shape& s) { return TensorType{s, DType::kInt32}; };
  const auto b = [](const Shape& s) { return TensorType{s, DType::kBool}; };
  const auto fold = [](ir::Reduce r) {
    return [r](BodyCtx& c) {
      return reduce(r, c.in(0).dim(1), [&](Expr v) { return c.in(0)({c.out(0), v, c.out(1)}); });
    };
  };
  const std::vector<Case> cases = {
      {"broadcast",
       {f({5, 1, 7}), f({6, 1}), i({7})},
       f({5, 6, 7}),
       [](BodyCtx& c) { return c.in(0).broadcast() * c.in(1).broadcast() + c.in(2).broadcast(Type::f32) * c.pf(0.5); }},
      {"scalar",
       {f({}), b({})},
       f({}),
       [](BodyCtx& c) { return select(c.in(1).broadcast(), c.in(0).broadcast(), c.pf(kInf)); }},
      {"constants",
       {},
       f({9}),
       [](BodyCtx& c) {
         return select(c.out(0) < 3, ir::f32(kNan), select(c.out(0) < 6, ir::f32(-kInf), ir::f32(1e-38)));
       }},
      {"axes", {}, i({3, 4, 5}), [](BodyCtx& c) { return c.out(0) * 100 + c.out(1) * 10 + c.out(2) - c.out_dim(1); }},
      {"transpose",
       {f({7, 9})},
       f({9, 7}),
       [](BodyCtx& c) {
         return c.in(0)({c.out(1), c.out(0)});
       }},
      {"gather",
       {f({6, 5}), i({4})},
       f({4, 5}),
       [](BodyCtx& c) {
         return c.in(0)({clamp(c.in(1)({c.out(0)}), 0, c.in(0).dim(0) - 1), c.out(1)});
       }},
      {"bits",
       {i({300})},
       i({300}),
       [](BodyCtx& c) {
         const Expr x = c.in(0).broadcast() * 747796405 + 277803737;
         const Expr w = (shift_right_logical(x, (shift_right_logical(x, 28) + 4)) ^ x) * 277803737;
         return (shift_right_logical(w, 22) ^ w) + (x >> 3) - (x << 5) + (bitcast_i32(to_f32(x & 1023)) | 7);
       }},
      {"sum", {f({3, 150, 2})}, f({3, 2}), fold(ir::Reduce::sum)},
      {"prod", {i({3, 15, 2})}, i({3, 2}), fold(ir::Reduce::prod)},
      {"max", {f({3, 15, 2})}, f({3, 2}), fold(ir::Reduce::max)},
      {"min", {i({3, 15, 2})}, i({3, 2}), fold(ir::Reduce::min)},
      {"argmax", {f({3, 15, 2})}, i({3, 2}), fold(ir::Reduce::argmax)},
      {"argmin", {i({3, 15, 2})}, i({3, 2}), fold(ir::Reduce::argmin)},
      {"any", {b({3, 15, 2})}, b({3, 2}), fold(ir::Reduce::any)},
      {"all", {b({3, 15, 2})}, b({3, 2}), fold(ir::Reduce::all)},
      {"max of nothing", {f({3, 0, 2})}, f({3, 2}), fold(ir::Reduce::max)},
      {"softmax",
       {f({4, 9})},
       f({4, 9}),
       [](BodyCtx& c) {
         const Expr n = c.in(0).dim(1);
         const auto x = [&](Expr v) { return clamp(c.in(0)({c.out(0), v}), -9.0, 9.0); };
         const Expr top = reduce(ir::Reduce::max, n, [&](Expr v) { return x(v); });
         const Expr total = reduce(ir::Reduce::sum, n, [&](Expr v) { return exp(x(v) - top); });
         return exp(x(c.out(1)) - top) / total;
       }},
      {"conv",
       {i({2, 5, 6, 3}), i({3, 3, 3, 4})},
       f({2, 5, 6, 4}),
       [](BodyCtx& c) {
         const ir::In x = c.in(0), w = c.in(1);
         return to_f32(reduce(ir::Reduce::sum, w.dim(0), [&](Expr u) {
           return reduce(ir::Reduce::sum, w.dim(1), [&](Expr v) {
             const Expr y = c.out(1) + u - 1, z = c.out(2) + v - 1;
             const Expr ok = y >= 0 && y < x.dim(1) && z >= 0 && z < x.dim(2);
             return reduce(ir::Reduce::sum, w.dim(2), [&](Expr q) {
               return select(ok, x({c.out(0), clamp(y, 0, x.dim(1) - 1), clamp(z, 0, x.dim(2) - 1), q}) % 100, 0) *
                      (w({u, v, q, c.out(3)}) % 100);
             });
           });
         }));
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Attrs attrs;
    BodyCtx ctx(c.in, c.out, attrs);
    const Expr e = c.body(ctx);
    const ir::Kernel k = ctx.finish(c.name, e);
    std::vector<std::vector<uint32_t>> data;
    std::vector<Shape> shapes;
    uint32_t seed = 7;
    for (const TensorType& t : c.in) {
      shapes.push_back(t.shape);
      std::vector<uint32_t> v;
      for (int64_t j = 0; j < t.shape.size(); ++j) {
        seed = seed * 1664525u + 1013904223u;
        if (t.dtype == DType::kFloat32)
          v.push_back(bits(static_cast<float>(static_cast<int>(seed >> 24) - 128) * 0.125f));
        else if (t.dtype == DType::kInt32)
          v.push_back((seed >> 20) - 2000u);
        else
          v.push_back(seed >> 31);
      }
      data.push_back(std::move(v));
    }
    compare(k, data, shapes, c.out.shape, 1e-5);
    if (HasFatalFailure()) return;
  }
}

TEST(EmitText, ShapesAndParametersAreNotText) {
  const auto text = [](int64_t n, double p) {
    const TensorType in[] = {{{n, 4}, DType::kFloat32}};
    const Attrs attrs;
    BodyCtx c(in, {{n, 4}, DType::kFloat32}, attrs);
    const Expr e = c.in(0).broadcast() * c.pf(p);
    const ir::Kernel k = c.finish("scale", e);
    return emit_wgsl(k).text + emit_glsl(k).text;
  };
  EXPECT_EQ(text(3, 1.5), text(5, 2.5));
  const std::string t = text(3, 1.5);
  EXPECT_NE(t.find("@compute @workgroup_size(64)"), std::string::npos);
  EXPECT_NE(t.find("#version 300 es"), std::string::npos);
}

TEST(EmitText, GridsAndTexturesCoverEverything) {
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{64}, int64_t{65}, int64_t{65535} * 64,
                          int64_t{65535} * 64 + 1, int64_t{2147483647}}) {
    const Grid g = grid_for(n);
    EXPECT_LE(g.x, 65535u);
    EXPECT_LE(g.y, 65535u);
    EXPECT_GE(int64_t{g.x} * g.y * kWorkgroup, n);
    const TextureSize t = texture_for(n, 16384);
    EXPECT_GE(int64_t{t.width} * t.height * kTexel, n);
    EXPECT_LE(t.width, 16384);
  }
}

}  // namespace
}  // namespace tsr::emit
