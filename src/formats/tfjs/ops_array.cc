// TensorFlow's ops that make, move, join, cut and index arrays.
#include <algorithm>
#include <limits>
#include <vector>

#include "formats/tfjs/convert.h"

namespace tsr::formats {
namespace {

/// Most outputs a Split or Unpack may have; a flipped digit must not become a huge list.
constexpr int64_t kMaxParts = 65536;

void pass(NodeCtx& c, const char*) { c.out(c.in(0)); }

void pass_all(NodeCtx& c, const char*) {
  for (ValueId v : c.inputs()) c.out(v);
}

void unary(NodeCtx& c, const char* op) { c.out(c.call(op, {c.in(0)})); }

void each(NodeCtx& c, const char* op) {
  for (ValueId v : c.inputs()) c.out(c.call(op, {v}));
}

// ---- Creation

void fill(NodeCtx& c, const char*) {
  // (dims, value). A value that is computed is broadcast, as `fill` takes it as an attribute.
  ConstantData value;
  if (!c.constant(1, value)) return c.out(c.op("broadcastTo").in(c.in(1)).bind("shape", 0).emit());
  c.out(c.op("fill").bind("shape", 0).bind("value", 1).set("dtype", value.dtype).emit());
}

void fill_with(NodeCtx& c, double value) {
  c.out(c.op("fill").bind("shape", 0).set("value", value).set("dtype", c.node.get_dtype("T", DType::kFloat32)).emit());
}
void ones(NodeCtx& c, const char*) { fill_with(c, 1); }
void zeros(NodeCtx& c, const char*) { fill_with(c, 0); }

void range(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .bind("start", 0)
            .bind("stop", 1)
            .bind("step", 2)
            .set("dtype", c.node.get_dtype("Tidx", DType::kInt32))
            .emit());
}

void lin_space(NodeCtx& c, const char* op) { c.out(c.op(op).bind("start", 0).bind("stop", 1).bind("num", 2).emit()); }

void one_hot(NodeCtx& c, const char* op) {
  // (indices, depth, on_value, off_value); the new axis is the last one unless `axis` says otherwise.
  if (c.node.get_int("axis", -1) != -1)
    c.unsupported("axis ", c.node.get_int("axis", -1), " is not supported, only the last (-1)");
  c.out(c.op(op)
            .in(c.in(0))
            .bind("depth", 1)
            .bind("onValue", 2)
            .bind("offValue", 3)
            .set("dtype", c.node.get_dtype("T", DType::kFloat32))
            .emit());
}

// NaN: a new seed at each call.
double seed_of(const NodeCtx& c) {
  const int64_t seed = c.node.get_int("seed", 0);
  return seed == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(seed);
}

void random_shaped(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .bind("shape", 0)
            .set("dtype", c.node.get_dtype("dtype", DType::kFloat32))
            .set("seed", seed_of(c))
            .emit());
}

void random_int(NodeCtx& c, const char* op) {
  c.out(c.op(op).bind("shape", 0).bind("minval", 1).bind("maxval", 2).set("seed", seed_of(c)).emit());
}

void multinomial(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).bind("numSamples", 1).set("seed", seed_of(c)).emit());
}

// ---- Shapes

void reshape(NodeCtx& c, const char* op) { c.out(c.op(op).in(c.in(0)).bind("shape", 1).emit()); }

void expand_dims(NodeCtx& c, const char* op) { c.out(c.op(op).in(c.in(0)).bind("axis", 1).emit()); }

void squeeze(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).set("axis", c.node.get_ints(c.node.has("axis") ? "axis" : "squeeze_dims")).emit());
}

void transpose(NodeCtx& c, const char* op) { c.out(c.op(op).in(c.in(0)).bind("perm", 1).emit()); }

void tile(NodeCtx& c, const char* op) { c.out(c.op(op).in(c.in(0)).bind("reps", 1).emit()); }

void pad(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in(c.in(0)).bind("paddings", 1);
  if (c.num_inputs() > 2) call.bind("constantValue", 2);
  c.out(call.emit());
}

void mirror_pad(NodeCtx& c, const char* op) {
  std::string mode = c.node.get_string("mode", "REFLECT");
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](char ch) { return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch; });
  c.out(c.op(op).in(c.in(0)).bind("paddings", 1).set("mode", mode).emit());
}

void space_to_batch(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).bind("blockShape", 1).bind("paddings", 2).emit());
}

void batch_to_space(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).bind("blockShape", 1).bind("crops", 2).emit());
}

void depth_to_space(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .in(c.in(0))
            .set("blockSize", c.node.get_int("block_size", 2))
            .set("dataFormat", c.node.get_string("data_format", "NHWC"))
            .emit());
}

// ---- Joining and cutting

void concat(NodeCtx& c, const char* op) {
  // ConcatV2 has the axis last, Concat first.
  const bool first = c.node.op == "Concat";
  if (c.num_inputs() < 2) c.bad("needs at least one tensor and an axis");
  const size_t axis = first ? 0 : c.num_inputs() - 1;
  OpCall call = c.op(op);
  for (size_t k = 0; k < c.num_inputs(); ++k) {
    if (k != axis) call.in(c.in(k));
  }
  c.out(call.bind("axis", axis).emit());
}

void pack(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  c.in(0);
  for (ValueId v : c.inputs()) call.in(v);
  c.out(call.set("axis", c.node.get_int("axis", 0)).emit());
}

uint32_t parts(const NodeCtx& c, const char* attr) {
  const int64_t n = c.node.get_int(attr, 1);
  if (n < 1 || n > kMaxParts) c.bad("attribute '", attr, "' is ", n, "; from 1 to ", kMaxParts, " are possible");
  return static_cast<uint32_t>(n);
}

void unpack(NodeCtx& c, const char* op) {
  const uint32_t n = parts(c, "num");
  c.out(c.op(op).in(c.in(0)).set("axis", c.node.get_int("axis", 0)).emit(n), n);
}

void split(NodeCtx& c, const char* op) {
  const uint32_t n = parts(c, "num_split");
  c.out(c.op(op).in(c.in(1)).set("numOrSizeSplits", int64_t{n}).bind("axis", 0).emit(n), n);
}

void split_v(NodeCtx& c, const char* op) {
  const uint32_t n = parts(c, "num_split");
  std::vector<int64_t> sizes = c.constant_ints(1, "the sizes of the parts");
  if (sizes.size() != n) c.bad("num_split is ", n, ", but there are ", sizes.size(), " sizes");
  // One size would read as a number of parts: the whole axis is passed on.
  if (n == 1) return c.out(c.in(0));
  c.out(c.op(op).in(c.in(0)).set("numOrSizeSplits", std::move(sizes)).bind("axis", 2).emit(n), n);
}

void slice(NodeCtx& c, const char* op) { c.out(c.op(op).in(c.in(0)).bind("begin", 1).bind("size", 2).emit()); }

void strided_slice(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .in(c.in(0))
            .bind("begin", 1)
            .bind("end", 2)
            .bind("strides", 3)
            .set("beginMask", c.node.get_int("begin_mask", 0))
            .set("endMask", c.node.get_int("end_mask", 0))
            .set("ellipsisMask", c.node.get_int("ellipsis_mask", 0))
            .set("newAxisMask", c.node.get_int("new_axis_mask", 0))
            .set("shrinkAxisMask", c.node.get_int("shrink_axis_mask", 0))
            .emit());
}

void reverse(NodeCtx& c, const char* op) {
  if (c.node.op == "ReverseV2") {
    ConstantData axes;
    if (c.constant(1, axes) && axes.values.empty()) return c.out(c.in(0));  // TensorFlow: no axis; ours: all
    return c.out(c.op(op).in(c.in(0)).bind("axis", 1).emit());
  }
  // Reverse has one boolean an axis.
  std::vector<int64_t> axes;
  const std::vector<int64_t> flags = c.constant_ints(1, "the list of axes");
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return c.out(c.in(0));
  c.out(c.op(op).in(c.in(0)).set("axis", axes).emit());
}

// ---- Indexing

void gather(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in({c.in(0), c.in(1)});
  if (c.num_inputs() > 2) call.bind("axis", 2);
  c.out(call.set("batchDims", c.node.get_int("batch_dims", 0)).emit());
}

void gather_nd(NodeCtx& c, const char* op) { c.out(c.call(op, {c.in(0), c.in(1)})); }

void scatter_nd(NodeCtx& c, const char* op) { c.out(c.op(op).in({c.in(0), c.in(1)}).bind("shape", 2).emit()); }

void tensor_scatter(NodeCtx& c, const char* op) { c.out(c.call(op, {c.in(0), c.in(1), c.in(2)})); }

void sparse_to_dense(NodeCtx& c, const char* op) {
  // (indices, shape, values, default). Indices are [n, rank]; constants of rank 0 or 1 stand for [n, 1].
  ConstantData value, indices;
  const ValueId base = c.constant(3, value)
                           ? c.op("fill").bind("shape", 1).bind("value", 3).set("dtype", value.dtype).emit()
                           : c.op("broadcastTo").in(c.in(3)).bind("shape", 1).emit();
  ValueId at = c.in(0);
  if (c.constant(0, indices) && indices.shape.rank() < 2) {
    at = c.op("reshape").in(at).set("shape", std::vector<int64_t>{indices.shape.size(), 1}).emit();
  }
  c.out(c.call(op, {base, at, c.in(2)}));
}

void where(NodeCtx& c, const char* op) {
  ValueId x = c.in(0);
  if (c.node.get_dtype("T", DType::kBool) != DType::kBool) x = c.op("cast").in(x).set("dtype", DType::kBool).emit();
  c.out(c.op(op).in(x).emit());
}

void top_k(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).bind("k", 1).set("sorted", c.node.get_bool("sorted", true)).emit(2), 2);
}

void unique(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in(c.in(0));
  if (c.node.op == "UniqueV2" && c.num_inputs() > 1) call.bind("axis", 1);
  c.out(call.emit(2), 2);
}

void list_diff(NodeCtx& c, const char* op) { c.out(c.op(op).in({c.in(0), c.in(1)}).emit(2), 2); }

void search_sorted(NodeCtx& c, const char* op) { c.out(c.call(op, {c.in(0), c.in(1)})); }

}  // namespace

std::span<const TfOp> array_tf_ops() {
  static const std::vector<TfOp> table = {
      {"Identity", nullptr, pass},
      {"IdentityN", nullptr, pass_all},
      {"Snapshot", nullptr, pass},
      {"StopGradient", nullptr, pass},
      {"PreventGradient", nullptr, pass},
      {"CheckNumerics", nullptr, pass},
      {"EnsureShape", nullptr, pass},
      {"Print", nullptr, pass},
      {"FakeQuantWithMinMaxVars", nullptr, pass},
      {"LoopCond", nullptr, pass},
      {"PlaceholderWithDefault", nullptr, pass},

      {"Fill", "fill", fill},
      {"Ones", "fill", ones},
      {"Zeros", "fill", zeros},
      {"OnesLike", "onesLike", unary},
      {"ZerosLike", "zerosLike", unary},
      {"Range", "range", range},
      {"LinSpace", "linspace", lin_space},
      {"OneHot", "oneHot", one_hot},
      {"RandomUniform", "randomUniform", random_shaped},
      {"RandomStandardNormal", "randomNormal", random_shaped},
      {"TruncatedNormal", "truncatedNormal", random_shaped},
      {"RandomUniformInt", "randomUniformInt", random_int},
      {"Multinomial", "multinomial", multinomial},

      {"Shape", "shape", unary},
      {"ShapeN", "shape", each},
      {"Size", "size", unary},
      {"Rank", "rank", unary},
      {"Reshape", "reshape", reshape},
      {"ExpandDims", "expandDims", expand_dims},
      {"Squeeze", "squeeze", squeeze},
      {"Transpose", "transpose", transpose},
      {"Tile", "tile", tile},
      {"BroadcastTo", "broadcastTo", reshape},
      {"Pad", "pad", pad},
      {"PadV2", "pad", pad},
      {"MirrorPad", "mirrorPad", mirror_pad},
      {"SpaceToBatchND", "spaceToBatchND", space_to_batch},
      {"BatchToSpaceND", "batchToSpaceND", batch_to_space},
      {"DepthToSpace", "depthToSpace", depth_to_space},

      {"Concat", "concat", concat},
      {"ConcatV2", "concat", concat},
      {"Pack", "stack", pack},
      {"Unpack", "unstack", unpack},
      {"Split", "split", split},
      {"SplitV", "split", split_v},
      {"Slice", "slice", slice},
      {"StridedSlice", "stridedSlice", strided_slice},
      {"Reverse", "reverse", reverse},
      {"ReverseV2", "reverse", reverse},

      {"Gather", "gather", gather},
      {"GatherV2", "gather", gather},
      {"GatherNd", "gatherND", gather_nd},
      {"ScatterNd", "scatterND", scatter_nd},
      {"TensorScatterUpdate", "tensorScatterUpdate", tensor_scatter},
      {"SparseToDense", "tensorScatterUpdate", sparse_to_dense},
      {"Where", "whereIndices", where},
      {"TopKV2", "topk", top_k},
      {"Unique", "unique", unique},
      {"UniqueV2", "unique", unique},
      {"ListDiff", "setdiff1d", list_diff},
      {"LowerBound", "lowerBound", search_sorted},
      {"UpperBound", "upperBound", search_sorted},
  };
  return table;
}

}  // namespace tsr::formats
