// Kernel -> GLSL ES 3.00 fragment shader, four output elements (one texel) an invocation. See launch.h:
//   uniform highp sampler2D / isampler2D x0, x1, ...   the inputs: RGBA32F or RGBA32I (int32, bool), elements in linear
//   order, four a texel uniform ivec4 u[]                                  the block out vec4 / ivec4 result the output
//   texel; a full-screen triangle over the output texture drives it
// Elements past the end of the tensor, in its last texel and rows, are written as 0. A texture of an empty tensor has
// one texel.
#pragma once

#include "emit/launch.h"

namespace tsr::emit {

Shader emit_glsl(const ir::Kernel& k);
/// The vertex shader that goes with every emitted fragment shader: three vertices, no attributes.
const char* glsl_vertex_shader();

}  // namespace tsr::emit
