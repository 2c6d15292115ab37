// The drivers that live in JavaScript: each function is one import of the WebAssembly module (js/library/gpu.js).
#include <string>

#include "backends/gpu/gpu_device.h"
#include "base/error.h"

extern "C" {
int tsr_js_gpu_open(int kind, char* why, int room);
void tsr_js_gpu_close(int kind);
void tsr_js_gpu_limits(int kind, uint32_t* out);
uint32_t tsr_js_gpu_state(int kind);
int tsr_js_gpu_take_error(int kind, char* out, int room);
void tsr_js_gpu_create_memory(int kind, uint32_t id, uint32_t bytes, uint32_t width, uint32_t height, uint32_t element);
void tsr_js_gpu_destroy_memory(int kind, uint32_t id);
void tsr_js_gpu_upload(int kind, uint32_t id, const uint32_t* words, uint32_t count);
void tsr_js_gpu_create_program(int kind, uint32_t id, const char* text, uint32_t bytes, uint32_t uniform_words, uint32_t inputs);
void tsr_js_gpu_destroy_program(int kind, uint32_t id);
void tsr_js_gpu_encode(int kind, const uint32_t* words, uint32_t count);
void tsr_js_gpu_begin_read(int kind, uint32_t request, uint32_t id, uint32_t words);
int tsr_js_gpu_poll_read(int kind, uint32_t request);
void tsr_js_gpu_read_wait(int kind, uint32_t request);
void tsr_js_gpu_take_read(int kind, uint32_t request, uint32_t* out, uint32_t count);
}

namespace tsr::gpu {
namespace {

enum Kind { kWebGpu = 0, kWebGl = 1 };

uint32_t size32(size_t n) { return static_cast<uint32_t>(n); }

class JsDriver : public GpuDriver {
 public:
  explicit JsDriver(Kind kind) : kind_(kind) {
    char why[512] = "";
    if (tsr_js_gpu_open(kind, why, sizeof why) == 0) fail(ErrorCode::kUnsupported, why);
    read_limits();
  }
  ~JsDriver() override { tsr_js_gpu_close(kind_); }

  const Limits& limits() override {
    // Another adapter may have come after a loss.
    if (epoch() != limits_epoch_ && !lost()) read_limits();
    return limits_;
  }
  bool lost() override { return (tsr_js_gpu_state(kind_) & 1) != 0; }
  uint32_t epoch() override { return tsr_js_gpu_state(kind_) >> 1; }
  std::string take_error() override {
    // Long enough for the shader that did not compile.
    std::string text(size_t{16} << 10, '\0');
    text.resize(static_cast<size_t>(tsr_js_gpu_take_error(kind_, text.data(), static_cast<int>(text.size()))));
    return text;
  }
  void create_memory(uint32_t id, const MemoryDesc& d) override {
    tsr_js_gpu_create_memory(kind_, id, d.bytes, d.width, d.height, static_cast<uint32_t>(d.element));
  }
  void destroy_memory(uint32_t id) override { tsr_js_gpu_destroy_memory(kind_, id); }
  void upload(uint32_t id, std::span<const uint32_t> words) override {
    tsr_js_gpu_upload(kind_, id, words.data(), size32(words.size()));
  }
  void create_program(uint32_t id, const ProgramDesc& d) override {
    tsr_js_gpu_create_program(kind_, id, d.text.data(), size32(d.text.size()), d.uniform_words, size32(d.inputs.size()));
  }
  void destroy_program(uint32_t id) override { tsr_js_gpu_destroy_program(kind_, id); }
  void encode(std::span<const uint32_t> commands) override {
    tsr_js_gpu_encode(kind_, commands.data(), size32(commands.size()));
  }
  void begin_read(uint32_t request, uint32_t id, uint32_t words) override {
    tsr_js_gpu_begin_read(kind_, request, id, words);
  }
  ReadState poll_read(uint32_t request) override {
    const int state = tsr_js_gpu_poll_read(kind_, request);
    return state == 0 ? ReadState::kPending : state > 0 ? ReadState::kDone : ReadState::kFailed;
  }
  void read_wait(uint32_t request) override { tsr_js_gpu_read_wait(kind_, request); }
  void take_read(uint32_t request, std::span<uint32_t> out) override {
    tsr_js_gpu_take_read(kind_, request, out.data(), size32(out.size()));
  }

 private:
  void read_limits() {
    uint32_t w[6] = {};
    tsr_js_gpu_limits(kind_, w);
    limits_ = {w[0], w[1], w[2], w[3], w[4], w[5]};
    limits_epoch_ = epoch();
  }

  Kind kind_;
  Limits limits_;
  uint32_t limits_epoch_ = 0;
};

[[maybe_unused]] const bool kRegistered = [] {
  register_device("webgpu", [] { return make_gpu_device("webgpu", std::make_unique<JsDriver>(kWebGpu), Language::kWgsl); });
  register_device("webgl", [] { return make_gpu_device("webgl", std::make_unique<JsDriver>(kWebGl), Language::kGlsl); });
  return true;
}();

}  // namespace
}  // namespace tsr::gpu
