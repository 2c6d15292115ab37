// Matrix products on the CPU: a constant right-hand side is packed once, any other on the fly.
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/repack.h"
#include "backends/cpu/tuned_util.h"
#include "core/array_attrs.h"

namespace tsr::cpu {
namespace {

struct Sizes {
  int64_t m = 0, n = 0, k = 0;
};

class MatMulKernel : public TunedKernel {
 public:
  MatMulKernel(const Group& group, ThreadPool& pool)
      : pool_(pool), a_(operand_of(group, 0)), b_(operand_of(group, 1)), attrs_(group.anchor().attrs.as<MatMulAttrs>()) {
    const Shape& as = anchor_shape(group, 0);
    const Shape& bs = anchor_shape(group, 1);
    const Shape& out = group.anchor().type.shape;
    s_.m = out.back(1);
    s_.n = out.back(0);
    s_.k = attrs_.transpose_a ? as.back(1) : as.back(0);
    a_stride_ = as.back(0);
    b_stride_ = bs.back(0);
    for (int i = 0; i + 2 < out.rank(); ++i) batch_ *= out[i];
    const bool one_b = bs.size() == bs.back(0) * bs.back(1);
    const Ref<Storage>& constant = group.operands[static_cast<size_t>(b_)].constant;
    // A batch of A that is contiguous over one shared B is one tall matrix.
    if (one_b && !attrs_.transpose_a && as.size() == batch_ * s_.m * s_.k) {
      s_.m *= batch_;
      batch_ = 1;
    }
    if (constant && one_b && batch_ == 1) {
      const StoredForm form = b_form_ = packed_form_for(s_.m, constant->form());
      if (!form.narrow()) constant->host();  // widens it for good, so that it lies in memory once here, too
      const auto pack = [&](const std::byte* from, std::byte* to) {
        PackSource source;
        source.data = from;
        source.form = form;
        source.row_stride = b_stride_;
        source.transposed = attrs_.transpose_b;
        pack_b(source, s_.k, s_.n, to, pool_);
      };
      packed_ = repack(*constant, packed_b_size(s_.k, s_.n, form), pack,
                       [form, k = s_.k, n = s_.n, transposed = attrs_.transpose_b](const std::byte* packed, std::byte* to) {
                         unpack_b(packed, form, k, n, transposed, to);
                       });
    }
    if (batch_ > 1) {
      a_offsets_ = offsets(as, out);
      b_offsets_ = offsets(bs, out);
    }
    scratch_ = packed_ ? gemm_scratch_bytes(gemm_args(), pool_.size()) : matmul_scratch_bytes(matmul_args(), pool_.size());
  }
  size_t scratch_bytes() const override { return scratch_; }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue& e, std::byte* scratch) override {
    if (packed_) {
      GemmArgs args = gemm_args();
      args.a = floats(in[static_cast<size_t>(a_)]);
      args.c = reinterpret_cast<float*>(out);
      args.epilogue = e;
      gemm(args, scratch, pool_);
      return;
    }
    MatmulArgs args = matmul_args();
    args.a = floats(in[static_cast<size_t>(a_)]);
    args.b = floats(in[static_cast<size_t>(b_)]);
    args.c = reinterpret_cast<float*>(out);
    args.epilogue = e;
    matmul(args, scratch, pool_);
  }
  bool reads_operand(int i) const override { return i == a_ || (i == b_ && !packed_); }
  std::string describe() const override { return packed_ ? "matMul[packed]" : "matMul"; }

 private:
  GemmArgs gemm_args() const {
    GemmArgs g;
    g.m = s_.m, g.n = s_.n, g.k = s_.k;
    g.a_stride = a_stride_;
    g.a_transposed = attrs_.transpose_a;
    g.packed_b = packed_->data();
    g.c_stride = s_.n;
    g.b_form = b_form_;
    return g;
  }
  MatmulArgs matmul_args() const {
    MatmulArgs m;
    m.batch = batch_;
    m.m = s_.m, m.n = s_.n, m.k = s_.k;
    m.a_stride = a_stride_;
    m.a_transposed = attrs_.transpose_a;
    m.b_stride = b_stride_;
    m.b_transposed = attrs_.transpose_b;
    m.c_stride = s_.n;
    m.c_batch_stride = s_.m * s_.n;
    if (batch_ > 1) {
      m.a_offsets = a_offsets_.data();
      m.b_offsets = b_offsets_.data();
    }
    return m;
  }
  // Where each matrix of the broadcast batch starts in an operand.
  std::vector<int64_t> offsets(const Shape& operand, const Shape& out) const {
    std::vector<int64_t> at(static_cast<size_t>(batch_));
    const Shape strides = operand.strides();
    for (int64_t i = 0; i < batch_; ++i) {
      int64_t rest = i;
      for (int d = out.rank() - 3; d >= 0; --d) {
        const int64_t index = rest % out[d];
        rest /= out[d];
        const int od = d - (out.rank() - operand.rank());
        if (od >= 0 && operand[od] != 1) at[static_cast<size_t>(i)] += index * strides[od];
      }
    }
    return at;
  }

  ThreadPool& pool_;
  int a_, b_;
  MatMulAttrs attrs_;
  Sizes s_;
  int64_t a_stride_ = 0, b_stride_ = 0, batch_ = 1;
  std::vector<int64_t> a_offsets_, b_offsets_;
  Ref<HostBuffer> packed_;
  StoredForm b_form_;
  size_t scratch_ = 0;
};

std::unique_ptr<TunedKernel> make_matmul(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group) || group.anchor().type.shape.rank() < 2) return nullptr;
  if (anchor_shape(group, 0).rank() < 2 || anchor_shape(group, 1).rank() < 2) return nullptr;
  return std::make_unique<MatMulKernel>(group, pool);
}

const RegisterTuned kMatMul("matMul", make_matmul, true);

}  // namespace
}  // namespace tsr::cpu
