// Storage: the bytes behind one or more tensors, on the host, on a device, or on both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/ref.h"
#include "core/stored_form.h"

namespace tsr {

/// Host memory aligned to 64 bytes (a cache line; the widest vector register) with 64 readable bytes of slack behind the end,
/// counted against the engine's memory cap. Contents are undefined until written (poisoned in debug builds).
class HostBuffer : public RefCounted {
 public:
  /// Throws kOutOfMemory naming the size when the cap or the allocator refuses.
  explicit HostBuffer(size_t bytes);
  ~HostBuffer();
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

  /// Bytes that all HostBuffers hold now, and the most they may hold (default: 3.5 GiB in 32-bit builds, else unlimited).
  static size_t total();
  /// The most that total() has been.
  static size_t peak();
  static void set_cap(size_t bytes);
  static size_t cap();

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// Memory of a GPU; each device derives its own. `bytes()` is what it takes there.
class DeviceBuffer : public RefCounted {
 public:
  virtual ~DeviceBuffer() = default;
  virtual size_t bytes() const = 0;
  /// The device it belongs to, to be compared only.
  virtual const void* owner() const = 0;
  /// False once its device was lost: the contents are gone.
  virtual bool alive() const = 0;
};

/// Identity exists from the moment the producing op is recorded; reshape and clone share it. Bytes arrive when it has run.
class Storage : public RefCounted {
 public:
  Storage(DType dtype, int64_t elements);
  ~Storage();

  DType dtype() const { return dtype_; }
  int64_t elements() const { return elements_; }
  /// Logical bytes, TensorFlow.js's meaning of numBytes: elements * element size (strings: their lengths).
  size_t logical_bytes() const { return logical_bytes_; }

  bool on_host() const { return host_ || remake_; }
  bool on_device() const { return static_cast<bool>(device_); }
  bool ready() const { return on_host() || on_device() || !strings_.empty() || elements_ == 0; }
  std::byte* host() const { return host_buffer() ? host_->data() + host_offset_ : nullptr; }
  void set_host(Ref<HostBuffer> buffer, size_t offset = 0) {
    host_ = std::move(buffer);
    host_offset_ = offset;
    remake_ = nullptr;
    form_ = {};
  }
  const Ref<HostBuffer>& host_buffer() const {
    if ((!host_ && remake_) || form_.narrow()) [[unlikely]] restore();
    return host_;
  }

  /// How the bytes on the host lie in memory. A narrow form (quantised weights) lasts until somebody asks for host(): from then on
  /// they lie there widened, for whoever asks that way reads them again and again. dtype() and logical_bytes() do not show it.
  const StoredForm& form() const { return form_; }
  /// Host bytes in a narrow form: elements() * form.element_bytes() of them. Only float32 has such forms.
  void set_stored(const StoredForm& form, Ref<HostBuffer> bytes);
  /// The bytes as they lie there, in form(). For kernels that keep the form, and for reading a weight once:
  struct HostBytes {
    Ref<HostBuffer> owner;
    const std::byte* data = nullptr;
  };
  HostBytes stored() const;
  /// The elements in dtype(), for who reads them once: what is widened or unpacked for it lives no longer than `owner`.
  HostBytes read_host() const;
  /// Frees the bytes on the host, which `remake` gives again, in form(), when they are asked for: a kernel that keeps weights in another
  /// order does so, lest they lie in memory twice. Whoever uses host() beyond the next compilation of a plan holds host_buffer(), too.
  void release_host(std::function<Ref<HostBuffer>()> remake);

  const Ref<DeviceBuffer>& device() const { return device_; }
  void set_device(Ref<DeviceBuffer> buffer) { device_ = std::move(buffer); }

  std::vector<std::string>& strings() { return strings_; }
  const std::vector<std::string>& strings() const { return strings_; }
  void set_strings(std::vector<std::string> values);

  /// The C ABI's own (capi/ledger.h): how many of its handles refer to this storage, and the number it goes by meanwhile.
  struct Ledger {
    int64_t handles = 0;
    double id = 0;
  };
  mutable Ledger ledger;
  /// Never modified after it was set (weights, constants): kernels may pack it once and keep the packed form.
  bool constant = false;

  /// Storages alive, and their logical bytes: `numDataBuffers` and `numBytes`.
  static int64_t live_count();
  static int64_t live_bytes();

 private:
  DType dtype_;
  int64_t elements_;
  size_t logical_bytes_;
  void restore() const;

  mutable Ref<HostBuffer> host_;
  mutable size_t host_offset_ = 0;
  mutable StoredForm form_;
  mutable std::function<Ref<HostBuffer>()> remake_;
  Ref<DeviceBuffer> device_;
  std::vector<std::string> strings_;
};

}  // namespace tsr
