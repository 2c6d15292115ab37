// What an emitted shader expects at launch, the same for WGSL and GLSL: inputs, output, and one block of 32-bit words.
//
// The block holds every number that is not text: shapes, strides, parameters. In a shader it is an array of
// four-integer vectors.
//
//   word 0        output elements
//   word 1        WGSL: invocations in a row of the grid (workgroups in x times kWorkgroup)
//                 GLSL: width of the output texture in texels
//   word 2        WGSL: the first element to compute, for launches in parts; else 0. GLSL: 0 (draw some rows of the
//   output) word 3        0, always: shaders make infinities and NaN from it, which compilers refuse as constants or
//   fold away out_dims      the output's extents input_dims    for each input: its extents, then its row-major strides,
//   then (GLSL) the width of its texture in texels params        one word each, floats by their bits
//
// Elements on a GPU are 4 bytes: float32 (narrow float dtypes are widened when uploaded) or int32 (bool is 0 or 1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/shape.h"
#include "ir/kernel.h"

namespace tsr::emit {

/// Invocations in a workgroup: a multiple of every GPU's wave size (32 or 64), within every device's limit (256).
inline constexpr int kWorkgroup = 64;
/// WebGPU allows this many workgroups in each dimension of a dispatch.
inline constexpr int64_t kMaxWorkgroups = 65535;
/// Elements in a texel.
inline constexpr int kTexel = 4;

/// Offsets into the block, in words.
struct LaunchLayout {
  int first = 2;  ///< the word with the first element
  int out_dims = 4;
  std::vector<int> input_dims;    ///< strides follow the extents
  std::vector<int> input_shifts;  ///< the word after the strides
  int params = 0;
  int words = 0;  ///< a multiple of 4
};
LaunchLayout launch_layout(const ir::Kernel& k);

/// A shader's text and what it reads and writes, by position: inputs 0..n-1, then the output, then the block.
struct Shader {
  std::string text;
  LaunchLayout layout;
};

/// Grid of a WGSL launch: workgroups in x and y.
struct Grid {
  uint32_t x = 1;
  uint32_t y = 1;
};
Grid grid_for(int64_t elements);

/// The block for a WGSL launch.
std::vector<uint32_t> wgsl_words(const ir::Kernel& k, std::span<const Shape> inputs, const Shape& out);
/// The block for a GLSL launch; widths are those of the textures that hold the tensors, in texels: powers of two for
/// inputs.
std::vector<uint32_t> glsl_words(const ir::Kernel& k, std::span<const Shape> inputs, const Shape& out,
                                 std::span<const int> input_widths, int out_width);

/// Size of a texture for that many elements, four a texel: nearly square, its width a power of two, at most `max_width`
/// texels.
struct TextureSize {
  int width = 1;
  int height = 1;
};
TextureSize texture_for(int64_t elements, int max_width = 4096);

}  // namespace tsr::emit
