// softmax and logSoftmax along the innermost axis on the CPU: one pass for the maximum, one for the exponentials. (The
// body computes both again for every element.)
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/kernels/rows.h"
#include "backends/cpu/tuned_util.h"
#include "core/array_attrs.h"

namespace tsr::cpu {
namespace {

class RowsKernel : public TunedKernel {
 public:
  using Fn = void (*)(int64_t rows, int64_t n, const float* x, float* y, ThreadPool& pool);
  RowsKernel(const Group& group, Fn fn, ThreadPool& pool)
      : pool_(pool), name_(group.anchor().op->name), k_(operand_of(group, 0)), fn_(fn) {
    const Shape& x = anchor_shape(group, 0);
    n_ = x.back();
    rows_ = x.size() / n_;
  }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte*) override {
    fn_(rows_, n_, floats(in[static_cast<size_t>(k_)]), reinterpret_cast<float*>(out), pool_);
  }
  std::string describe() const override { return name_; }

 private:
  ThreadPool& pool_;
  const char* name_;
  int k_;
  Fn fn_;
  int64_t rows_ = 0, n_ = 0;
};

std::unique_ptr<TunedKernel> make_rows(const Group& group, int64_t axis, RowsKernel::Fn fn, ThreadPool& pool) {
  const Shape& x = anchor_shape(group, 0);
  if (!anchor_is_float(group) || x.size() == 0) return nullptr;
  if (normalize_axis(group.anchor().op->name, axis, x.rank()) != x.rank() - 1) return nullptr;
  return std::make_unique<RowsKernel>(group, fn, pool);
}

std::unique_ptr<TunedKernel> make_softmax(const Group& group, ThreadPool& pool) {
  return make_rows(group, group.anchor().attrs.as<SoftmaxAttrs>().dim, softmax_rows, pool);
}
std::unique_ptr<TunedKernel> make_log_softmax(const Group& group, ThreadPool& pool) {
  return make_rows(group, group.anchor().attrs.as<LogSoftmaxAttrs>().axis, log_softmax_rows, pool);
}

const RegisterTuned kSoftmax("softmax", make_softmax);
const RegisterTuned kLogSoftmax("logSoftmax", make_log_softmax);

}  // namespace
}  // namespace tsr::cpu
