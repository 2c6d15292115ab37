// Attributes of ops that reduce, move or index array elements. They live in core because both the op definitions and
// the tuned kernels of a backend need them, and those two never include each other. Axes are stored as the caller wrote
// them: negative ones count from the end (normalize_axis and normalize_axes of base/shape.h resolve them; infer has
// checked them).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attrs.h"

namespace tsr {

// ---- Reductions
// -----------------------------------------------------------------------------------------------------------

/// sum, mean, prod, max, min, any, all, logSumExp, moments.
struct ReduceAttrs {
  std::vector<int64_t> axis;  ///< empty: all
  bool keep_dims = false;
  static void describe(AttrSchema& s) {
    s.field<&ReduceAttrs::axis>("axis", "axes to reduce; none given: all of them");
    s.field<&ReduceAttrs::keep_dims>("keepDims", "keep reduced axes with extent 1");
  }
};

/// argMax, argMin.
struct ArgReduceAttrs {
  int64_t axis = 0;
  static void describe(AttrSchema& s) { s.field<&ArgReduceAttrs::axis>("axis", "the axis to search along"); }
};

/// cumsum, cumprod.
struct CumulativeAttrs {
  int64_t axis = 0;
  bool exclusive = false;
  bool reverse = false;
  static void describe(AttrSchema& s) {
    s.field<&CumulativeAttrs::axis>("axis", "the axis to accumulate along");
    s.field<&CumulativeAttrs::exclusive>("exclusive", "leave the element itself out");
    s.field<&CumulativeAttrs::reverse>("reverse", "accumulate from the end");
  }
};

// ---- Shapes
// ---------------------------------------------------------------------------------------------------------------

/// reshape, broadcastTo.
struct ShapeAttrs {
  std::vector<int64_t> shape;
  static void describe(AttrSchema& s) { s.field<&ShapeAttrs::shape>("shape", "shape of the result").required(); }
};

/// concat, stack, unstack, expandDims.
struct AxisAttrs {
  int64_t axis = 0;
  static void describe(AttrSchema& s) { s.field<&AxisAttrs::axis>("axis", "the axis; negative counts from the end"); }
};

/// squeeze, reverse.
struct AxesAttrs {
  std::vector<int64_t> axis;
  static void describe(AttrSchema& s) { s.field<&AxesAttrs::axis>("axis", "the axes; none given: all of them"); }
};

struct TransposeAttrs {
  std::vector<int64_t> perm;
  static void describe(AttrSchema& s) {
    s.field<&TransposeAttrs::perm>("perm",
                                   "axis d of the result is axis perm[d] of x; none given: the order is reversed");
  }
};

struct SplitAttrs {
  std::vector<int64_t> num_or_size_splits;
  int64_t axis = 0;
  static void describe(AttrSchema& s) {
    s.field<&SplitAttrs::num_or_size_splits>(
         "numOrSizeSplits", "a number of equal parts, or the extents of the parts (one may be -1: the rest)")
        .required();
    s.field<&SplitAttrs::axis>("axis", "the axis to cut");
  }
};

/// slice as users call it.
struct SliceAttrs {
  std::vector<int64_t> begin;
  std::vector<int64_t> size;
  static void describe(AttrSchema& s) {
    s.field<&SliceAttrs::begin>("begin", "first index of each axis; missing axes start at 0").required();
    s.field<&SliceAttrs::size>("size", "extent of each axis; -1 and missing axes: up to the end");
  }
};

/// sliceAt, what slice and stridedSlice come down to: out[i] = x[begin + i * strides], everything resolved, one entry
/// an axis.
struct SliceAtAttrs {
  std::vector<int64_t> begin;  ///< runtime: a loop that moves a window compiles nothing new
  std::vector<int64_t> size;
  std::vector<int64_t> strides;  ///< not 0; may be negative
  static void describe(AttrSchema& s) {
    s.field<&SliceAtAttrs::begin>("begin", "first index of each axis").runtime().required();
    s.field<&SliceAtAttrs::size>("size", "shape of the result").required();
    s.field<&SliceAtAttrs::strides>("strides", "step of each axis").required();
  }
};

/// sliceAtGrad, the transpose of sliceAt: zeros of shape `shape`, with out[begin + i * strides] = dy[i].
struct SliceAtGradAttrs {
  std::vector<int64_t> begin;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  static void describe(AttrSchema& s) {
    s.field<&SliceAtGradAttrs::begin>("begin", "first index of each axis").runtime().required();
    s.field<&SliceAtGradAttrs::shape>("shape", "shape of the result").required();
    s.field<&SliceAtGradAttrs::strides>("strides", "step of each axis").required();
  }
};

struct StridedSliceAttrs {
  std::vector<int64_t> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  static void describe(AttrSchema& s) {
    using A = StridedSliceAttrs;
    s.field<&A::begin>("begin", "first index of each axis; negative counts from the end").required();
    s.field<&A::end>("end", "index after the last of each axis; negative counts from the end").required();
    s.field<&A::strides>("strides", "step of each axis; none given: 1");
    s.field<&A::begin_mask>("beginMask", "bit i: ignore begin[i], start at the first element");
    s.field<&A::end_mask>("endMask", "bit i: ignore end[i], go on to the last element");
    s.field<&A::ellipsis_mask>("ellipsisMask", "bit i: entry i stands for all axes not named by the others");
    s.field<&A::new_axis_mask>("newAxisMask", "bit i: entry i inserts an axis of extent 1");
    s.field<&A::shrink_axis_mask>("shrinkAxisMask", "bit i: take one index of this axis and drop the axis");
  }
};

struct PadAttrs {
  std::vector<int64_t> paddings;  ///< before and after of axis 0, of axis 1, ...
  double constant_value = 0;
  static void describe(AttrSchema& s) {
    s.field<&PadAttrs::paddings>("paddings", "[before, after] of each axis").required();
    s.field<&PadAttrs::constant_value>("constantValue", "value of the new elements").runtime();
  }
};

enum class MirrorMode : uint8_t {
  kReflect,    ///< without repeating the edge: [1 2 3] -> 3 2 [1 2 3] 2 1
  kSymmetric,  ///< repeating it: [1 2 3] -> 2 1 [1 2 3] 3 2
};

struct MirrorPadAttrs {
  std::vector<int64_t> paddings;
  MirrorMode mode = MirrorMode::kReflect;
  static void describe(AttrSchema& s) {
    s.field<&MirrorPadAttrs::paddings>("paddings", "[before, after] of each axis").required();
    s.field<&MirrorPadAttrs::mode>("mode", "whether the edge is repeated ('symmetric') or not ('reflect')",
                                   {"reflect", "symmetric"})
        .required();
  }
};

struct TileAttrs {
  std::vector<int64_t> reps;
  static void describe(AttrSchema& s) {
    s.field<&TileAttrs::reps>("reps", "how often each axis is repeated").required();
  }
};

/// spaceToBatchND (edges are paddings) and batchToSpaceND (edges are crops).
struct SpaceToBatchAttrs {
  std::vector<int64_t> block_shape, edges;
  static void describe(AttrSchema& s) {
    s.field<&SpaceToBatchAttrs::block_shape>("blockShape", "block extent of each spatial axis").required();
    s.field<&SpaceToBatchAttrs::edges>("paddings", "[before, after] of each spatial axis").required();
  }
};
struct BatchToSpaceAttrs {
  std::vector<int64_t> block_shape, edges;
  static void describe(AttrSchema& s) {
    s.field<&BatchToSpaceAttrs::block_shape>("blockShape", "block extent of each spatial axis").required();
    s.field<&BatchToSpaceAttrs::edges>("crops", "[before, after] of each spatial axis").required();
  }
};

enum class DataFormat : uint8_t { kNHWC, kNCHW };

struct DepthToSpaceAttrs {
  int64_t block_size = 2;
  DataFormat data_format = DataFormat::kNHWC;
  static void describe(AttrSchema& s) {
    s.field<&DepthToSpaceAttrs::block_size>("blockSize", "edge of the squares that channels become").required();
    s.field<&DepthToSpaceAttrs::data_format>("dataFormat", "order of the axes", {"NHWC", "NCHW"});
  }
};

// ---- Creation
// -------------------------------------------------------------------------------------------------------------

struct FillAttrs {
  std::vector<int64_t> shape;
  double value = 0;
  DType dtype = DType::kFloat32;
  static void describe(AttrSchema& s) {
    s.field<&FillAttrs::shape>("shape", "shape of the result").required();
    s.field<&FillAttrs::value>("value", "value of every element").runtime().required();
    s.field<&FillAttrs::dtype>("dtype", "float32, int32 or bool");
  }
};

/// range as users call it.
struct RangeAttrs {
  double start = 0, stop = 0, step = 1;
  DType dtype = DType::kFloat32;
  static void describe(AttrSchema& s) {
    s.field<&RangeAttrs::start>("start", "the first value").required();
    s.field<&RangeAttrs::stop>("stop", "where to end; not reached").required();
    s.field<&RangeAttrs::step>("step", "distance of neighbours; its sign is turned towards stop");
    s.field<&RangeAttrs::dtype>("dtype", "float32 or int32");
  }
};

/// steps, what range comes down to: out[i] = start + i * step.
struct StepsAttrs {
  int64_t num = 0;
  double start = 0, step = 1;
  DType dtype = DType::kFloat32;
  static void describe(AttrSchema& s) {
    s.field<&StepsAttrs::num>("num", "number of values").required();
    s.field<&StepsAttrs::start>("start", "the first value").runtime().required();
    s.field<&StepsAttrs::step>("step", "distance of neighbours").runtime();
    s.field<&StepsAttrs::dtype>("dtype", "float32 or int32");
  }
};

struct LinspaceAttrs {
  double start = 0, stop = 0;
  int64_t num = 0;
  static void describe(AttrSchema& s) {
    s.field<&LinspaceAttrs::start>("start", "the first value").runtime().required();
    s.field<&LinspaceAttrs::stop>("stop", "the last value").runtime().required();
    s.field<&LinspaceAttrs::num>("num", "number of values, at least 1").required();
  }
};

struct EyeAttrs {
  int64_t num_rows = 0, num_columns = -1;
  std::vector<int64_t> batch_shape;
  DType dtype = DType::kFloat32;
  static void describe(AttrSchema& s) {
    s.field<&EyeAttrs::num_rows>("numRows", "number of rows").required();
    s.field<&EyeAttrs::num_columns>("numColumns", "number of columns; -1: as many as rows");
    s.field<&EyeAttrs::batch_shape>("batchShape", "leading axes, each with the same matrix");
    s.field<&EyeAttrs::dtype>("dtype", "float32, int32 or bool");
  }
};

struct OneHotAttrs {
  int64_t depth = 0;
  double on_value = 1, off_value = 0;
  DType dtype = DType::kInt32;
  static void describe(AttrSchema& s) {
    s.field<&OneHotAttrs::depth>("depth", "extent of the new last axis").required();
    s.field<&OneHotAttrs::on_value>("onValue", "value where the index matches").runtime();
    s.field<&OneHotAttrs::off_value>("offValue", "value elsewhere").runtime();
    s.field<&OneHotAttrs::dtype>("dtype", "float32, int32 or bool");
  }
};

// ---- Indexing
// -------------------------------------------------------------------------------------------------------------

struct GatherAttrs {
  int64_t axis = 0, batch_dims = 0;
  static void describe(AttrSchema& s) {
    s.field<&GatherAttrs::axis>("axis", "the axis of x that indices choose from");
    s.field<&GatherAttrs::batch_dims>("batchDims", "number of leading axes that x and indices share");
  }
};

/// gatherGrad: those of the gather, and the shape of its x.
struct GatherGradAttrs {
  int64_t axis = 0, batch_dims = 0;
  std::vector<int64_t> shape;
  static void describe(AttrSchema& s) {
    s.field<&GatherGradAttrs::axis>("axis", "of the gather").required();
    s.field<&GatherGradAttrs::batch_dims>("batchDims", "of the gather").required();
    s.field<&GatherGradAttrs::shape>("shape", "shape of the gather's x").required();
  }
  GatherAttrs gather() const { return {axis, batch_dims}; }
};

struct SegmentAttrs {
  int64_t num_segments = 0;
  static void describe(AttrSchema& s) {
    s.field<&SegmentAttrs::num_segments>("numSegments", "extent of the result").required();
  }
};

struct BincountAttrs {
  int64_t size = 0;
  static void describe(AttrSchema& s) { s.field<&BincountAttrs::size>("size", "number of bins").required(); }
};

struct DenseBincountAttrs {
  int64_t size = 0;
  bool binary_output = false;
  static void describe(AttrSchema& s) {
    s.field<&DenseBincountAttrs::size>("size", "number of bins").required();
    s.field<&DenseBincountAttrs::binary_output>("binaryOutput", "1 for a value that occurs, instead of its count");
  }
};

// ---- Linear algebra and normalisation
// ----------------------------------------------------------------------------------------

struct MatMulAttrs {
  bool transpose_a = false, transpose_b = false;
  static void describe(AttrSchema& s) {
    s.field<&MatMulAttrs::transpose_a>("transposeA", "read the last two axes of a the other way round");
    s.field<&MatMulAttrs::transpose_b>("transposeB", "read the last two axes of b the other way round");
  }
};

struct SoftmaxAttrs {
  int64_t dim = -1;
  static void describe(AttrSchema& s) { s.field<&SoftmaxAttrs::dim>("dim", "the axis that sums to 1"); }
};

struct LogSoftmaxAttrs {
  int64_t axis = -1;
  static void describe(AttrSchema& s) {
    s.field<&LogSoftmaxAttrs::axis>("axis", "the axis whose exponentials sum to 1");
  }
};

struct BatchNormAttrs {
  double variance_epsilon = 0.001;
  static void describe(AttrSchema& s) {
    s.field<&BatchNormAttrs::variance_epsilon>("varianceEpsilon", "added to the variance, against division by zero")
        .runtime();
  }
};

struct NormAttrs {
  std::string ord = "euclidean";
  std::vector<int64_t> axis;
  bool keep_dims = false;
  static void describe(AttrSchema& s) {
    s.field<&NormAttrs::ord>("ord", "which norm: 'euclidean', 'fro', 1, 2, Infinity or -Infinity");
    s.field<&NormAttrs::axis>("axis", "one axis for vectors, two for matrices; none given: x as one vector");
    s.field<&NormAttrs::keep_dims>("keepDims", "keep reduced axes with extent 1");
  }
};

}  // namespace tsr
