#include "formats/tfjs/warm_works.h"

#include <algorithm>

#include "core/array_attrs.h"
#include "core/window_attrs.h"

namespace tsr::formats {
namespace {

// Below this a model's first run takes about as long as warming up.
constexpr int64_t kLeastBytes = int64_t{2} << 20;

// V8 compiles a loop again after some ten thousand turns; an inner loop of a product makes one turn for each row of B.
constexpr int64_t kMultiplyAdds = 1'500'000;

TensorType floats(std::initializer_list<int64_t> dims) { return {Shape(dims), DType::kFloat32}; }

int times_for(int64_t multiply_adds) { return static_cast<int>((kMultiplyAdds + multiply_adds - 1) / multiply_adds); }

// 17 rows are 6 + 6 + 5 with relaxed SIMD, 5 + 4 + 4 + 4 without, 4 + 4 + 3 + 3 + 3 in engines where tiles are kept low: the heights in use
// nearly everywhere.
WarmWork product(int64_t depth, int64_t columns) {
  constexpr int64_t kTileRows = 17;
  return {&get_op("matMul"), MatMulAttrs{}, {floats({kTileRows, depth}), floats({depth, columns})}, 1, times_for(kTileRows * depth * columns)};
}

WarmWork window(const char* op, int64_t size, int64_t stride, std::initializer_list<int64_t> filter, int64_t multiply_adds) {
  Conv2DAttrs attrs;
  attrs.strides = {stride, stride};
  attrs.pad = PadMode::kSame;
  return {&get_op(op), attrs, {floats({1, size, size, *(filter.begin() + 2)}), floats(filter)}, 1, times_for(multiply_adds)};
}

bool has_weight(const Manifest& manifest, int64_t height, int64_t width) {
  return std::any_of(manifest.weights.begin(), manifest.weights.end(), [&](const WeightSpec& w) {
    const Shape& s = w.type.shape;
    return s.rank() == 4 && s[0] == height && s[1] == width && s[2] >= 16 && s[3] >= 16;
  });
}

}  // namespace

std::vector<WarmWork> warm_works(const ModelInfo& info, const Manifest& manifest) {
  std::vector<WarmWork> works;
  if (manifest.bytes < kLeastBytes) return works;
  const auto has = [&](std::initializer_list<const char*> ops) {
    return std::any_of(ops.begin(), ops.end(), [&](const char* op) { return info.op_counts.count(op) > 0; });
  };
  const bool convolves = has({"Conv2D", "_FusedConv2D"});
  if (convolves || has({"MatMul", "_FusedMatMul", "BatchMatMul", "BatchMatMulV2"})) {
    works.push_back(product(64, 64));
    works.push_back(product(256, 256));  // large enough to be fetched ahead, which is code of its own
  }
  if (has({"DepthwiseConv2dNative", "FusedDepthwiseConv2dNative"})) {
    constexpr int64_t kSize = 14, kChannels = 64;
    for (const int64_t stride : {1, 2}) {
      const int64_t out = kSize / stride;
      works.push_back(window("depthwiseConv2d", kSize, stride, {3, 3, kChannels, 1}, out * out * kChannels * 9));
    }
  }
  // What Winograd's transforms do besides their products.
  if (convolves && has_weight(manifest, 3, 3)) works.push_back(window("conv2d", 28, 1, {3, 3, 32, 32}, 28 * 28 * 32 * 32));
  return works;
}

}  // namespace tsr::formats
