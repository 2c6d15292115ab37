// GpuDriver: the seam between Tessera and a GPU API. It takes orders and decides nothing: buffer sizes, texture shapes, shader
// text, caching, splitting and pooling are the caller's. Three implementations: WebGPU and WebGL 2 through a small JavaScript
// file (js_driver_wasm.cc), EGL/GLES natively (webgl/driver_egl.cc).
//
// Ids are chosen by the caller, greater than 0, never used twice in the life of a driver (losses included). All functions are
// called on the thread that made the driver. None waits for the GPU, except read_wait().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tsr::gpu {

/// What an element is on the device; always four bytes. Numbers are shared with the JavaScript drivers.
enum class Element : uint32_t { kFloat = 0, kInt = 1 };

/// Memory for one tensor. `width` 0: a linear buffer. Otherwise a texture of four elements a texel, texels in row-major order.
struct MemoryDesc {
  uint32_t bytes = 0;  ///< a multiple of 16; for textures width * height * 16
  uint32_t width = 0, height = 0;
  Element element = Element::kFloat;
  bool operator==(const MemoryDesc&) const = default;
};

/// What the device can do. Numbers are shared with the JavaScript drivers, in this order.
struct Limits {
  uint32_t max_inputs = 8;          ///< buffers or textures that one program can read
  uint32_t max_memory_bytes = 0;    ///< of one buffer
  uint32_t max_texture_size = 0;    ///< texels a side; 0: the device has linear buffers
  uint32_t max_groups = 65535;      ///< workgroups a dimension (linear buffers only)
  uint32_t max_uniform_words = 864; ///< launch words of one program
  uint32_t can_read_sync = 0;       ///< 1: read_wait() works
};

/// A program to compile; src/emit/launch.h says what its text declares. WGSL: input k is @binding(k) of @group(0), the output
/// @binding(inputs.size()), the block of uniform words the binding after it. GLSL: samplers x0, x1..., the block `ivec4 u[]`.
struct ProgramDesc {
  std::string_view text;
  uint32_t uniform_words = 0;  ///< a multiple of 4
  std::span<const Element> inputs;
};

enum class ReadState { kPending, kDone, kFailed };

class GpuDriver {
 public:
  virtual ~GpuDriver() = default;
  virtual const Limits& limits() = 0;
  /// The device is gone now; nothing below has an effect until it is back.
  virtual bool lost() = 0;
  /// How often it was lost. A step makes every id made before it meaningless.
  virtual uint32_t epoch() = 0;
  /// What went wrong since the last call (a shader that does not compile, memory refused), or "". Asynchronous APIs report late.
  virtual std::string take_error() = 0;

  virtual void create_memory(uint32_t id, const MemoryDesc& desc) = 0;
  virtual void destroy_memory(uint32_t id) = 0;
  /// Copies words to the start of the memory, before anything encoded later. Textures: words.size() is a multiple of 4.
  virtual void upload(uint32_t id, std::span<const uint32_t> words) = 0;
  virtual void create_program(uint32_t id, const ProgramDesc& desc) = 0;
  virtual void destroy_program(uint32_t id) = 0;
  /// Runs a command list (command_list.h) in order.
  virtual void encode(std::span<const uint32_t> commands) = 0;

  /// Starts bringing the first `words` words to the host, as they are after all that was encoded so far.
  virtual void begin_read(uint32_t request, uint32_t id, uint32_t words) = 0;
  virtual ReadState poll_read(uint32_t request) = 0;
  /// Waits until poll_read() would not say kPending. Only with limits().can_read_sync.
  virtual void read_wait(uint32_t request) = 0;
  /// After kDone: copies the words and forgets the request. With an empty span: forgets it, in any state.
  virtual void take_read(uint32_t request, std::span<uint32_t> out) = 0;
};

}  // namespace tsr::gpu
