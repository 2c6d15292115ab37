// The native test harness of the WebGL path: GLES 3.0 on a surfaceless EGL display (Mesa's software renderer where there is no
// GPU). Not a product: the point is that shaders and command lists meant for WebGL 2 can be tested without a browser.
#pragma once

#include <memory>

#include "backends/gpu/driver.h"

namespace tsr::gpu {

/// Throws kUnsupported saying what is missing (no EGL display, no GLES 3 context, no float32 rendering).
std::unique_ptr<GpuDriver> make_egl_driver();

/// Makes the driver behave as if the context had been lost and restored: for tests of what the layers above do then.
void lose_context_for_test(GpuDriver& driver);

}  // namespace tsr::gpu
