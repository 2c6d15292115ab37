#include "backends/cpu/kernels/epilogue.h"

#include "backends/cpu/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/epilogue.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

void EpilogueRow(const Epilogue& e, float* values, int64_t row, int64_t col, int64_t n) { epilogue_row(e, values, row, col, n); }

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "backends/cpu/kernels/gemm.h"

namespace tsr::cpu {
HWY_EXPORT(EpilogueRow);
HWY_EXPORT(TargetName);

void apply_epilogue_row(const Epilogue& e, float* values, int64_t row, int64_t col, int64_t n) {
  if (n > 0) HWY_DYNAMIC_DISPATCH(EpilogueRow)(e, values, row, col, n);
}

const char* kernel_target_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace tsr::cpu
#endif  // HWY_ONCE
