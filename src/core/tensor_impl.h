// TensorImpl: what a Tensor handle points to, and Trace, the interface through which a pending value is computed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "core/ref.h"
#include "core/storage.h"
#include "tessera/tensor.h"

namespace tsr {

/// The recording that a pending tensor belongs to; implemented by the runtime.
class Trace : public RefCounted {
 public:
  virtual ~Trace() = default;
  /// The last handle to a pending value went away: the trace need not produce it.
  virtual void drop(uint32_t value) = 0;
};

/// One value of the program. Invariant: either `storage` is ready, or `trace` is set and will fill it, or `error` says why not.
class TensorImpl : public RefCounted {
 public:
  TensorImpl(TensorType t, Ref<Storage> s) : type(std::move(t)), storage(std::move(s)) {
    ++live_count_;
  }
  ~TensorImpl() {
    --live_count_;
    if (trace) trace->drop(value);
  }

  TensorType type;
  Ref<Storage> storage;
  Ref<Trace> trace;          ///< null once computed
  uint32_t value = 0;        ///< its value id in `trace`
  std::shared_ptr<Error> error;  ///< set when the launch that should have made it failed

  /// TensorImpls alive in the process (handles held by callers and by pending traces).
  static int64_t live_count() { return live_count_; }

 private:
  static inline std::atomic<int64_t> live_count_{0};
};

}  // namespace tsr
