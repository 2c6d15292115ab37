// Kernel -> WGSL compute shader, one output element an invocation. See launch.h for what it binds:
//   @group(0) @binding(0 .. n-1)  read-only storage buffers of the inputs: array<f32> or array<i32> (int32, bool)
//   @group(0) @binding(n)         the output's storage buffer, likewise
//   @group(0) @binding(n + 1)     the block: a uniform buffer, array<vec4<i32>>
// Entry point "main", workgroup size kWorkgroup. Buffers of empty tensors still hold at least one element.
#pragma once

#include "emit/launch.h"

namespace tsr::emit {

Shader emit_wgsl(const ir::Kernel& k);

}  // namespace tsr::emit
