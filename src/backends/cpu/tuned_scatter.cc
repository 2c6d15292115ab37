// Scatters on the CPU: scatterND, unsortedSegmentSum, gatherGrad, tensorScatterUpdate, sliceAtGrad, bincount. Sums are
// taken place by place: points are first sorted by the place they name (a counting sort), then every place adds its
// rows up. So threads share nothing, results do not depend on their number, and long sums keep their digits.
#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "backends/cpu/cpu_device.h"
#include "backends/cpu/kernels/copy.h"
#include "backends/cpu/tuned_util.h"
#include "core/array_attrs.h"

namespace tsr::cpu {
namespace {

// A kernel that is one function of its operands.
class FunctionKernel : public TunedKernel {
 public:
  using Fn = std::function<void(std::span<const BufferView> in, std::byte* out)>;
  FunctionKernel(const char* name, Fn fn) : name_(name), fn_(std::move(fn)) {}
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte*) override { fn_(in, out); }
  std::string describe() const override { return name_; }

 private:
  const char* name_;
  Fn fn_;
};

std::unique_ptr<TunedKernel> kernel(const Group& group, FunctionKernel::Fn fn) {
  return std::make_unique<FunctionKernel>(group.anchor().op->name, std::move(fn));
}

const int32_t* ints(BufferView v) { return reinterpret_cast<const int32_t*>(v.host); }

int64_t product(const Shape& s, int from, int to) {
  int64_t n = 1;
  for (int d = from; d < to; ++d) n *= s[d];
  return n;
}

bool is_number(DType t) { return t == DType::kFloat32 || t == DType::kInt32; }

// The row of the result that each point [depth] names, among the rows of the leading axes of `shape`; -1 when out of
// range.
void rows_of_points(const int32_t* indices, int64_t points, int depth, const Shape& shape, std::vector<int64_t>& rows) {
  rows.resize(static_cast<size_t>(points));
  for (int64_t p = 0; p < points; ++p) {
    int64_t row = 0;
    for (int d = 0; d < depth; ++d) {
      const int64_t i = indices[p * depth + d];
      if (i < 0 || i >= shape[d]) {
        row = -1;
        break;
      }
      row = row * shape[d] + i;
    }
    rows[static_cast<size_t>(p)] = row;
  }
}

// Points in the order of the rows they name: those of row r are order[start[r]] .. order[start[r + 1]].
struct Buckets {
  std::vector<int64_t> start, order;
  void sort(const std::vector<int64_t>& rows, int64_t num_rows) {
    start.assign(static_cast<size_t>(num_rows) + 1, 0);
    for (int64_t r : rows) {
      if (r >= 0) ++start[static_cast<size_t>(r) + 1];
    }
    for (size_t r = 1; r < start.size(); ++r) start[r] += start[r - 1];
    order.resize(static_cast<size_t>(start.back()));
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (size_t p = 0; p < rows.size(); ++p) {
      if (rows[p] >= 0) order[static_cast<size_t>(next[static_cast<size_t>(rows[p])]++)] = static_cast<int64_t>(p);
    }
  }
};

// y[outer, row, inner] = sum of x[outer, point, inner] over the row's points. Floats add up in double, integers wrap.
template <typename T>
void add_up(const Buckets& b, int64_t outer, int64_t points, int64_t num_rows, int64_t inner, const T* x, T* y,
            ThreadPool& pool) {
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, uint32_t>;
  constexpr int64_t kTile = 256;  // columns whose sums stay in the first-level cache
  const int64_t tiles = (inner + kTile - 1) / kTile;
  const int64_t grain = std::max<int64_t>(1, 4096 / std::min(inner, kTile));
  pool.parallel_for(0, outer * num_rows * tiles, grain, [&](int64_t begin, int64_t end) {
    Sum sum[kTile];
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = item % tiles * kTile;
      const int64_t row = item / tiles % num_rows;
      const int64_t o = item / tiles / num_rows;
      const int64_t n = std::min(kTile, inner - first);
      std::fill_n(sum, n, Sum{0});
      for (int64_t k = b.start[static_cast<size_t>(row)]; k < b.start[static_cast<size_t>(row) + 1]; ++k) {
        const T* from = x + (o * points + b.order[static_cast<size_t>(k)]) * inner + first;
        for (int64_t c = 0; c < n; ++c) sum[c] += static_cast<Sum>(from[c]);
      }
      T* to = y + (o * num_rows + row) * inner + first;
      for (int64_t c = 0; c < n; ++c) to[c] = static_cast<T>(sum[c]);
    }
  });
}

void add_up_any(DType t, const Buckets& b, int64_t outer, int64_t points, int64_t num_rows, int64_t inner,
                const std::byte* x, std::byte* y, ThreadPool& pool) {
  if (t == DType::kFloat32) {
    add_up(b, outer, points, num_rows, inner, reinterpret_cast<const float*>(x), reinterpret_cast<float*>(y), pool);
  } else {
    add_up(b, outer, points, num_rows, inner, reinterpret_cast<const int32_t*>(x), reinterpret_cast<int32_t*>(y), pool);
  }
}

std::unique_ptr<TunedKernel> make_scatter_nd(const Group& group, ThreadPool& pool) {
  const Shape &indices = anchor_shape(group, 0), shape = group.anchor().type.shape;
  const DType t = anchor_type(group, 1).dtype;
  if (!is_number(t) || t != group.anchor().type.dtype || shape.size() == 0) return nullptr;
  const auto depth = static_cast<int>(indices.back());
  const int64_t points = product(indices, 0, indices.rank() - 1);
  const int64_t num_rows = product(shape, 0, depth), inner = product(shape, depth, shape.rank());
  const auto ik = static_cast<size_t>(operand_of(group, 0)), uk = static_cast<size_t>(operand_of(group, 1));
  return kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    std::vector<int64_t> rows;
    rows_of_points(ints(in[ik]), points, depth, shape, rows);
    Buckets b;
    b.sort(rows, num_rows);
    add_up_any(t, b, 1, points, num_rows, inner, in[uk].host, out, pool);
  });
}

std::unique_ptr<TunedKernel> make_segment_sum(const Group& group, ThreadPool& pool) {
  const Shape &x = anchor_shape(group, 0), &ids = anchor_shape(group, 1), out_shape = group.anchor().type.shape;
  const DType t = anchor_type(group, 0).dtype;
  if (!is_number(t) || t != group.anchor().type.dtype || out_shape.size() == 0) return nullptr;
  const int64_t points = ids.size(), num_rows = out_shape[0], inner = product(x, ids.rank(), x.rank());
  const auto xk = static_cast<size_t>(operand_of(group, 0)), ik = static_cast<size_t>(operand_of(group, 1));
  return kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    std::vector<int64_t> rows;
    rows_of_points(ints(in[ik]), points, 1, {num_rows}, rows);
    Buckets b;
    b.sort(rows, num_rows);
    add_up_any(t, b, 1, points, num_rows, inner, in[xk].host, out, pool);
  });
}

std::unique_ptr<TunedKernel> make_gather_grad(const Group& group, ThreadPool& pool) {
  const auto& a = group.anchor().attrs.as<GatherGradAttrs>();
  const Shape& shape = group.anchor().type.shape;
  const DType t = anchor_type(group, 0).dtype;
  if (a.batch_dims != 0 || !is_number(t) || t != group.anchor().type.dtype || shape.size() == 0) return nullptr;
  const int axis = normalize_axis("gatherGrad", a.axis, shape.rank());
  const int64_t points = anchor_shape(group, 1).size(), num_rows = shape[axis];
  const int64_t outer = product(shape, 0, axis), inner = product(shape, axis + 1, shape.rank());
  const auto dk = static_cast<size_t>(operand_of(group, 0)), ik = static_cast<size_t>(operand_of(group, 1));
  return kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    std::vector<int64_t> rows;
    rows_of_points(ints(in[ik]), points, 1, {num_rows}, rows);
    Buckets b;
    b.sort(rows, num_rows);
    add_up_any(t, b, outer, points, num_rows, inner, in[dk].host, out, pool);
  });
}

std::unique_ptr<TunedKernel> make_scatter_update(const Group& group, ThreadPool&) {
  const Shape &indices = anchor_shape(group, 1), shape = group.anchor().type.shape;
  const DType t = group.anchor().type.dtype;
  if (anchor_type(group, 0).dtype != t || anchor_type(group, 2).dtype != t || shape.size() == 0) return nullptr;
  const auto depth = static_cast<int>(indices.back());
  const int64_t points = product(indices, 0, indices.rank() - 1);
  const size_t row_bytes = static_cast<size_t>(product(shape, depth, shape.rank())) * size_of(t);
  const size_t bytes = static_cast<size_t>(shape.size()) * size_of(t);
  const auto tk = static_cast<size_t>(operand_of(group, 0)), ik = static_cast<size_t>(operand_of(group, 1)),
             uk = static_cast<size_t>(operand_of(group, 2));
  return kernel(group, [=](std::span<const BufferView> in, std::byte* out) {
    std::vector<int64_t> rows;
    rows_of_points(ints(in[ik]), points, depth, shape, rows);
    std::memcpy(out, in[tk].host, bytes);
    for (size_t p = 0; p < rows.size(); ++p) {  // in order: the last update of a place counts
      if (rows[p] >= 0)
        std::memcpy(out + static_cast<size_t>(rows[p]) * row_bytes, in[uk].host + p * row_bytes, row_bytes);
    }
  });
}

// With steps of 1 it is a pad with zeros, whose amounts follow from `begin`: a runtime attribute.
class SliceAtGradKernel : public TunedKernel {
 public:
  SliceAtGradKernel(const Group& group, ThreadPool& pool)
      : pool_(pool), dy_(anchor_type(group, 0)), k_(operand_of(group, 0)), shape_(group.anchor().type.shape) {
    update(group.anchor());
  }
  void update(const GroupNode& n) override {
    before_ = Shape(n.attrs.as<SliceAtGradAttrs>().begin);
    after_ = shape_;
    for (int d = 0; d < shape_.rank(); ++d) after_[d] = shape_[d] - before_[d] - dy_.shape[d];
  }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte*) override {
    const std::byte zero[8]{};
    pad_constant(dy_.shape, before_, after_, size_of(dy_.dtype), zero, in[static_cast<size_t>(k_)].host, out, pool_);
  }
  std::string describe() const override { return "sliceAtGrad"; }

 private:
  ThreadPool& pool_;
  TensorType dy_;
  int k_;
  Shape shape_, before_, after_;
};

std::unique_ptr<TunedKernel> make_slice_at_grad(const Group& group, ThreadPool& pool) {
  const TensorType& dy = anchor_type(group, 0);
  if (dy.shape.rank() == 0 || dy.shape.size() == 0 || dy.dtype != group.anchor().type.dtype) return nullptr;
  for (int64_t step : group.anchor().attrs.as<SliceAtGradAttrs>().strides) {
    if (step != 1) return nullptr;
  }
  return std::make_unique<SliceAtGradKernel>(group, pool);
}

// bincount and denseBincount of [rows, n] into [rows, size].
std::unique_ptr<TunedKernel> make_counts(const Group& group, ThreadPool& pool, int64_t size, bool binary) {
  const Shape& x = anchor_shape(group, 0);
  const DType t = group.anchor().type.dtype;
  if (size == 0 || x.size() == 0) return nullptr;
  const int64_t n = x.back(), rows = x.size() / n;
  const bool weighted = anchor_shape(group, 1).size() > 0 && !binary;
  const auto xk = static_cast<size_t>(operand_of(group, 0)), wk = static_cast<size_t>(operand_of(group, 1));
  return kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    const int32_t* values = ints(in[xk]);
    pool.parallel_for(0, rows, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
      std::vector<double> bins(static_cast<size_t>(size));
      for (int64_t r = begin; r < end; ++r) {
        std::fill(bins.begin(), bins.end(), 0);
        for (int64_t i = r * n; i < (r + 1) * n; ++i) {
          if (values[i] < 0 || values[i] >= size) continue;
          double& bin = bins[static_cast<size_t>(values[i])];
          if (binary)
            bin = 1;
          else if (!weighted)
            bin += 1;
          else
            bin += t == DType::kFloat32 ? static_cast<double>(floats(in[wk])[i]) : ints(in[wk])[i];
        }
        for (int64_t s = 0; s < size; ++s) {
          const double v = bins[static_cast<size_t>(s)];
          if (t == DType::kFloat32) {
            reinterpret_cast<float*>(out)[r * size + s] = static_cast<float>(v);
          } else {  // sums below 2^53 are exact; the low 32 bits are those of the wrapped sum
            reinterpret_cast<int32_t*>(out)[r * size + s] = static_cast<int32_t>(static_cast<int64_t>(v));
          }
        }
      }
    });
  });
}
std::unique_ptr<TunedKernel> make_bincount(const Group& group, ThreadPool& pool) {
  return make_counts(group, pool, group.anchor().attrs.as<BincountAttrs>().size, false);
}
std::unique_ptr<TunedKernel> make_dense_bincount(const Group& group, ThreadPool& pool) {
  const auto& a = group.anchor().attrs.as<DenseBincountAttrs>();
  return make_counts(group, pool, a.size, a.binary_output);
}

const RegisterTuned kScatterND("scatterND", make_scatter_nd);
const RegisterTuned kSegmentSum("unsortedSegmentSum", make_segment_sum);
const RegisterTuned kGatherGrad("gatherGrad", make_gather_grad);
const RegisterTuned kScatterUpdate("tensorScatterUpdate", make_scatter_update);
const RegisterTuned kSliceAtGrad("sliceAtGrad", make_slice_at_grad);
const RegisterTuned kBincount("bincount", make_bincount);
const RegisterTuned kDenseBincount("denseBincount", make_dense_bincount);

}  // namespace
}  // namespace tsr::cpu
