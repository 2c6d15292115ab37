// The device "gl": native GLES through EGL, the test harness of the WebGL path.
#include "backends/gpu/gpu_device.h"
#include "backends/webgl/egl_driver.h"

namespace tsr::gpu {

[[maybe_unused]] const bool kGlRegistered = [] {
  register_device("gl", [] { return make_gpu_device("gl", make_egl_driver(), Language::kGlsl); });
  return true;
}();

}  // namespace tsr::gpu
