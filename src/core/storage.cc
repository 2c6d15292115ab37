#include "core/storage.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/error.h"
#include "core/tensor_size.h"

namespace tsr {
namespace {

constexpr size_t kAlign = 64;
constexpr size_t kSlack = 64;

// `padded` bytes, of which whole huge pages are asked for where the system has them: weights are read from end to end in every run, and
// a page of 2 MB is one entry in the processor's tables (and one fault at first touch) instead of 512. Null when refused.
std::byte* allocate(size_t padded) {
#if defined(__linux__)
  constexpr size_t kHugePage = size_t{2} << 20;
  if (padded >= kHugePage) {
    void* data = nullptr;
    if (posix_memalign(&data, kHugePage, padded) != 0) return nullptr;  // unlike aligned_alloc, of any size
    madvise(data, padded / kHugePage * kHugePage, MADV_HUGEPAGE);  // a wish: without it all is as before
    return static_cast<std::byte*>(data);
  }
#endif
  return static_cast<std::byte*>(std::aligned_alloc(kAlign, padded));
}

std::atomic<size_t> g_host_total{0};
std::atomic<size_t> g_host_peak{0};
// A 32-bit address space holds 4 GiB; the rest is for code, stacks and the host's own copies.
std::atomic<size_t> g_host_cap{sizeof(void*) == 4 ? size_t{3584} << 20 : std::numeric_limits<size_t>::max()};
std::atomic<int64_t> g_live_count{0};
std::atomic<int64_t> g_live_bytes{0};

}  // namespace

HostBuffer::HostBuffer(size_t bytes) : size_(bytes) {
  const size_t padded = (bytes + kAlign - 1) / kAlign * kAlign + kSlack;
  const size_t held = g_host_total.load(std::memory_order_relaxed);
  if (padded < bytes || held + padded > g_host_cap.load(std::memory_order_relaxed)) {
    fail(ErrorCode::kOutOfMemory, "cannot allocate ", bytes, " bytes: ", held, " bytes are in use and the memory cap is ",
         g_host_cap.load(), "; free tensors with dispose() or wrap the code in tidy()");
  }
  data_ = allocate(padded);
  if (!data_) {
    fail(ErrorCode::kOutOfMemory, "the system refused ", bytes, " bytes (", held,
         " bytes are in use); free tensors with dispose() or wrap the code in tidy()");
  }
#ifndef NDEBUG
  std::memset(data_, 0xFB, padded);  // NaN-like garbage makes a read of unwritten memory visible
#else
  std::memset(data_ + bytes, 0, padded - bytes);
#endif
  const size_t now = g_host_total.fetch_add(padded, std::memory_order_relaxed) + padded;
  size_t peak = g_host_peak.load(std::memory_order_relaxed);
  while (now > peak && !g_host_peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

HostBuffer::~HostBuffer() {
  g_host_total.fetch_sub((size_ + kAlign - 1) / kAlign * kAlign + kSlack, std::memory_order_relaxed);
  std::free(data_);
}

size_t HostBuffer::total() { return g_host_total.load(std::memory_order_relaxed); }
size_t HostBuffer::peak() { return g_host_peak.load(std::memory_order_relaxed); }
void HostBuffer::set_cap(size_t bytes) { g_host_cap.store(bytes, std::memory_order_relaxed); }
size_t HostBuffer::cap() { return g_host_cap.load(std::memory_order_relaxed); }

void check_tensor_bytes(const char* what, int64_t elements, DType dtype) {
  const auto most = static_cast<uint64_t>(kMaxTensorBytes);
  const auto bytes = static_cast<uint64_t>(elements) * size_of(dtype);  // elements are fewer than 2^60 (Shape::size)
  if (bytes <= most) return;
  fail(ErrorCode::kOutOfMemory, what, " would have ", elements, " elements of ", name_of(dtype), ", ", bytes,
       " bytes; the most that one tensor can have here is ", most);
}

Storage::Storage(DType dtype, int64_t elements)
    : dtype_(dtype), elements_(elements), logical_bytes_(static_cast<size_t>(elements) * size_of(dtype)) {
  check_tensor_bytes("a tensor", elements, dtype);
  g_live_count.fetch_add(1, std::memory_order_relaxed);
  g_live_bytes.fetch_add(static_cast<int64_t>(logical_bytes_), std::memory_order_relaxed);
}

Storage::~Storage() {
  g_live_count.fetch_sub(1, std::memory_order_relaxed);
  g_live_bytes.fetch_sub(static_cast<int64_t>(logical_bytes_), std::memory_order_relaxed);
}

void Storage::release_host(std::function<Ref<HostBuffer>()> remake) {
  host_ = {};
  remake_ = std::move(remake);
}

void Storage::set_stored(const StoredForm& form, Ref<HostBuffer> bytes) {
  check(dtype_ == DType::kFloat32 && bytes->size() == static_cast<size_t>(elements_) * form.element_bytes(),
        "a weight's bytes do not have the size that their form wants");
  set_host(std::move(bytes));
  form_ = form;
}

Storage::HostBytes Storage::stored() const {
  if (!host_ && remake_) {
    Ref<HostBuffer> again = remake_();
    const std::byte* const data = again->data();
    return {std::move(again), data};
  }
  return {host_, host_ ? host_->data() + host_offset_ : nullptr};
}

Storage::HostBytes Storage::read_host() const {
  HostBytes bytes = stored();
  if (!form_.narrow()) return bytes;
  Ref<HostBuffer> wide(new HostBuffer(logical_bytes_));
  widen(form_, bytes.data, static_cast<size_t>(elements_), reinterpret_cast<float*>(wide->data()));
  const std::byte* const data = wide->data();
  return {std::move(wide), data};
}

void Storage::restore() const {
  host_ = read_host().owner;
  host_offset_ = 0;
  remake_ = nullptr;
  form_ = {};
}

void Storage::set_strings(std::vector<std::string> values) {
  size_t bytes = 0;
  for (const std::string& s : values) bytes += s.size();
  g_live_bytes.fetch_add(static_cast<int64_t>(bytes) - static_cast<int64_t>(logical_bytes_), std::memory_order_relaxed);
  logical_bytes_ = bytes;
  strings_ = std::move(values);
}

int64_t Storage::live_count() { return g_live_count.load(std::memory_order_relaxed); }
int64_t Storage::live_bytes() { return g_live_bytes.load(std::memory_order_relaxed); }

}  // namespace tsr
