// The launch that every op gets from its pull kernel: one program, one dispatch (or draw).
#pragma once

#include <memory>

#include "backends/gpu/gpu_device.h"
#include "graph/group.h"

namespace tsr::gpu {

/// A tuned launch where find_tuned() has one for the group, else the pull kernel's.
std::unique_ptr<Launch> make_launch(GpuDevice& device, const Group& group);

}  // namespace tsr::gpu
