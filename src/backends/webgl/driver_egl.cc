#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "backends/gpu/command_list.h"
#include "backends/webgl/egl_driver.h"
#include "base/error.h"

namespace tsr::gpu {
namespace {

// A triangle that covers the viewport, without any vertex buffer.
constexpr const char* kVertexShader =
    "#version 300 es\n"
    "void main() {\n"
    "  vec2 p = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));\n"
    "  gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);\n"
    "}\n";

/// A display and a current context. One per driver.
class Context {
 public:
  Context() {
    const auto platform_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (platform_display != nullptr) {
      display_ = platform_display(EGL_PLATFORM_SURFACELESS_MESA, reinterpret_cast<void*>(EGL_DEFAULT_DISPLAY), nullptr);
    }
    if (display_ == EGL_NO_DISPLAY) display_ = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (display_ == EGL_NO_DISPLAY || eglInitialize(display_, nullptr, nullptr) != EGL_TRUE) {
      fail(ErrorCode::kUnsupported, "there is no EGL display");
    }
    eglBindAPI(EGL_OPENGL_ES_API);
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
    context_ = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (context_ == EGL_NO_CONTEXT || !make_current()) {
      if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
      fail(ErrorCode::kUnsupported, "EGL gives no GLES 3 context without a surface");
    }
  }
  ~Context() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);  // the display is shared by all contexts of the process: not terminated
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  bool make_current() {
    if (eglGetCurrentContext() == context_) return true;
    return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE;
  }

 private:
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

class EglDriver : public GpuDriver {
 public:
  EglDriver() {
    const auto* extensions = reinterpret_cast<const char*>(glGetString(GL_EXTENSIONS));
    if (extensions == nullptr || std::strstr(extensions, "GL_EXT_color_buffer_float") == nullptr) {
      fail(ErrorCode::kUnsupported, "this GLES cannot render to float32 textures (GL_EXT_color_buffer_float)");
    }
    GLint units = 16, size = 2048, uniforms = 224;
    glGetIntegerv(GL_MAX_TEXTURE_IMAGE_UNITS, &units);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
    glGetIntegerv(GL_MAX_FRAGMENT_UNIFORM_VECTORS, &uniforms);
    limits_.max_inputs = static_cast<uint32_t>(units);
    limits_.max_texture_size = static_cast<uint32_t>(size);
    limits_.max_uniform_words = (static_cast<uint32_t>(uniforms) - 8) * 4;  // some compilers keep a few vectors for themselves
    limits_.can_read_sync = 1;
    set_up();
  }
  ~EglDriver() override {
    context_.make_current();
    for (const auto& [id, m] : memory_) free_texture(m);
    for (const auto& [id, p] : programs_) glDeleteProgram(p.name);
    for (const auto& [id, r] : reads_) free_read(r);
  }

  const Limits& limits() override { return limits_; }
  bool lost() override { return false; }
  uint32_t epoch() override { return epoch_; }
  std::string take_error() override { return std::exchange(error_, {}); }

  void create_memory(uint32_t id, const MemoryDesc& d) override {
    context_.make_current();
    Texture t;
    t.desc = d;
    glGenTextures(1, &t.name);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, t.name);
    glTexStorage2D(GL_TEXTURE_2D, 1, d.element == Element::kFloat ? GL_RGBA32F : GL_RGBA32I, static_cast<GLsizei>(d.width),
                   static_cast<GLsizei>(d.height));
    for (const GLenum p : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) glTexParameteri(GL_TEXTURE_2D, p, GL_NEAREST);
    for (const GLenum p : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) glTexParameteri(GL_TEXTURE_2D, p, GL_CLAMP_TO_EDGE);
    if (glGetError() != GL_NO_ERROR) error_ = str("GLES has no memory for a texture of ", d.width, "x", d.height, " texels");
    memory_.emplace(id, t);
  }

  void destroy_memory(uint32_t id) override {
    context_.make_current();
    const auto it = memory_.find(id);
    if (it == memory_.end()) return;
    free_texture(it->second);
    memory_.erase(it);
  }

  void upload(uint32_t id, std::span<const uint32_t> words) override {
    context_.make_current();
    const Texture& t = memory_.at(id);
    const GLenum format = t.desc.element == Element::kFloat ? GL_RGBA : GL_RGBA_INTEGER;
    const GLenum type = t.desc.element == Element::kFloat ? GL_FLOAT : GL_INT;
    const size_t texels = words.size() / 4, rows = texels / t.desc.width, rest = texels % t.desc.width;
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, t.name);
    if (rows > 0) {
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, static_cast<GLsizei>(t.desc.width), static_cast<GLsizei>(rows), format, type,
                      words.data());
    }
    if (rest > 0) {
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, static_cast<GLint>(rows), static_cast<GLsizei>(rest), 1, format, type,
                      words.data() + rows * t.desc.width * 4);
    }
  }

  void create_program(uint32_t id, const ProgramDesc& desc) override {
    context_.make_current();
    Program p;
    const GLuint fragment = compile(GL_FRAGMENT_SHADER, desc.text);
    if (fragment == 0) return;
    p.name = glCreateProgram();
    glAttachShader(p.name, vertex_);
    glAttachShader(p.name, fragment);
    glLinkProgram(p.name);
    glDeleteShader(fragment);  // the program keeps it
    GLint ok = 0;
    glGetProgramiv(p.name, GL_LINK_STATUS, &ok);
    if (ok == 0) {
      char log[2000] = "";
      glGetProgramInfoLog(p.name, sizeof log, nullptr, log);
      error_ = str("a shader does not link: ", log, "\n", desc.text);
      glDeleteProgram(p.name);
      return;
    }
    glUseProgram(p.name);
    for (size_t k = 0; k < desc.inputs.size(); ++k) {
      glUniform1i(glGetUniformLocation(p.name, str("x", k).c_str()), static_cast<GLint>(k));
    }
    p.uniforms = glGetUniformLocation(p.name, "u");
    programs_.emplace(id, p);
  }

  void destroy_program(uint32_t id) override {
    context_.make_current();
    const auto it = programs_.find(id);
    if (it == programs_.end()) return;
    glDeleteProgram(it->second.name);
    programs_.erase(it);
  }

  void encode(std::span<const uint32_t> commands) override {
    context_.make_current();
    glBindVertexArray(vertex_array_);
    glEnable(GL_SCISSOR_TEST);
    for (RecordedRun run; next_run(commands, run);) {
      const auto program = programs_.find(run.program);
      const auto output = memory_.find(run.output);
      if (program == programs_.end() || output == memory_.end()) continue;  // take_error() has said why
      Texture& out = output->second;
      if (out.framebuffer == 0) {
        glGenFramebuffers(1, &out.framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, out.framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, out.name, 0);
      } else {
        glBindFramebuffer(GL_FRAMEBUFFER, out.framebuffer);
      }
      glUseProgram(program->second.name);
      for (size_t k = 0; k < run.inputs.size(); ++k) {
        glActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + k));
        glBindTexture(GL_TEXTURE_2D, memory_.at(run.inputs[k]).name);
      }
      if (!run.uniforms.empty() && program->second.uniforms >= 0) {
        glUniform4iv(program->second.uniforms, static_cast<GLsizei>(run.uniforms.size() / 4),
                     reinterpret_cast<const GLint*>(run.uniforms.data()));
      }
      // The viewport spans the texture, so that gl_FragCoord is the texel; the scissor cuts out this run's rows.
      glViewport(0, 0, static_cast<GLsizei>(out.desc.width), static_cast<GLsizei>(out.desc.height));
      glScissor(0, static_cast<GLint>(run.grid.y), static_cast<GLsizei>(run.grid.x), static_cast<GLsizei>(run.grid.z));
      glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    const GLenum e = glGetError();
    if (e != GL_NO_ERROR && error_.empty()) error_ = str("GLES reports error ", e, " after drawing");
    glFlush();
  }

  void begin_read(uint32_t request, uint32_t id, uint32_t words) override {
    context_.make_current();
    const Texture& t = memory_.at(id);
    Read r;
    const uint32_t texels = (words + 3) / 4;
    const uint32_t rows = (texels + t.desc.width - 1) / t.desc.width;
    r.bytes = size_t{rows} * t.desc.width * 16;
    GLuint framebuffer = 0;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t.name, 0);
    glGenBuffers(1, &r.buffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, r.buffer);
    glBufferData(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(r.bytes), nullptr, GL_STREAM_READ);
    const bool is_float = t.desc.element == Element::kFloat;
    glReadPixels(0, 0, static_cast<GLsizei>(t.desc.width), static_cast<GLsizei>(rows), is_float ? GL_RGBA : GL_RGBA_INTEGER,
                 is_float ? GL_FLOAT : GL_INT, nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    r.fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
    reads_.emplace(request, r);
  }

  ReadState poll_read(uint32_t request) override {
    context_.make_current();
    const auto it = reads_.find(request);
    if (it == reads_.end()) return ReadState::kFailed;
    const GLenum s = glClientWaitSync(it->second.fence, 0, 0);
    return s == GL_TIMEOUT_EXPIRED ? ReadState::kPending : s == GL_WAIT_FAILED ? ReadState::kFailed : ReadState::kDone;
  }

  void read_wait(uint32_t request) override {
    context_.make_current();
    if (const auto it = reads_.find(request); it != reads_.end()) {
      constexpr GLuint64 kSecond = 1'000'000'000;
      while (glClientWaitSync(it->second.fence, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond) == GL_TIMEOUT_EXPIRED) {
      }
    }
  }

  void take_read(uint32_t request, std::span<uint32_t> out) override {
    context_.make_current();
    const auto it = reads_.find(request);
    if (it == reads_.end()) return;
    if (!out.empty()) {
      glBindBuffer(GL_PIXEL_PACK_BUFFER, it->second.buffer);
      const void* p = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, static_cast<GLsizeiptr>(it->second.bytes), GL_MAP_READ_BIT);
      if (p != nullptr) std::memcpy(out.data(), p, std::min(out.size() * 4, it->second.bytes));
      glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
      glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    }
    free_read(it->second);
    reads_.erase(it);
  }

  void lose() {
    context_.make_current();
    for (const auto& [id, m] : memory_) free_texture(m);
    for (const auto& [id, p] : programs_) glDeleteProgram(p.name);
    for (const auto& [id, r] : reads_) free_read(r);
    memory_.clear();
    programs_.clear();
    reads_.clear();
    ++epoch_;
  }

 private:
  struct Texture {
    MemoryDesc desc;
    GLuint name = 0, framebuffer = 0;
  };
  struct Program {
    GLuint name = 0;
    GLint uniforms = -1;
  };
  struct Read {
    GLuint buffer = 0;
    GLsync fence = nullptr;
    size_t bytes = 0;
  };

  void set_up() {
    vertex_ = compile(GL_VERTEX_SHADER, kVertexShader);
    glGenVertexArrays(1, &vertex_array_);
    for (const GLenum cap : {GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE, GL_DITHER}) glDisable(cap);
  }
  GLuint compile(GLenum kind, std::string_view text) {
    const GLuint shader = glCreateShader(kind);
    const char* p = text.data();
    const auto length = static_cast<GLint>(text.size());
    glShaderSource(shader, 1, &p, &length);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok != 0) return shader;
    char log[2000] = "";
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    error_ = str("a shader does not compile: ", log, "\n", text);
    glDeleteShader(shader);
    return 0;
  }
  static void free_texture(const Texture& t) {
    if (t.framebuffer != 0) glDeleteFramebuffers(1, &t.framebuffer);
    glDeleteTextures(1, &t.name);
  }
  static void free_read(const Read& r) {
    glDeleteSync(r.fence);
    glDeleteBuffers(1, &r.buffer);
  }

  Context context_;
  Limits limits_;
  std::string error_;
  GLuint vertex_ = 0, vertex_array_ = 0;
  uint32_t epoch_ = 0;
  std::unordered_map<uint32_t, Texture> memory_;
  std::unordered_map<uint32_t, Program> programs_;
  std::unordered_map<uint32_t, Read> reads_;
};

}  // namespace

std::unique_ptr<GpuDriver> make_egl_driver() { return std::make_unique<EglDriver>(); }

void lose_context_for_test(GpuDriver& driver) { dynamic_cast<EglDriver&>(driver).lose(); }

}  // namespace tsr::gpu
