// Version, memory, devices, threads, profile.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/executor.h"
#include "base/tile_limit.h"
#include "capi/errors.h"
#include "capi/strings.h"
#include "capi/tensors.h"
#include "core/storage.h"
#include "runtime/engine.h"

#ifndef TESSERA_VERSION
#define TESSERA_VERSION "0.1.0"
#endif

namespace tsr::capi {

const char* returned_string(std::string text) {
  static std::string* const held = new std::string;
  *held = std::move(text);
  return held->c_str();
}

}  // namespace tsr::capi

using tsr::capi::guard;
using tsr::capi::Tensors;

extern "C" {

const char* tsr_version(void) { return TESSERA_VERSION; }

void* tsr_alloc(size_t bytes) {
  return guard(static_cast<void*>(nullptr), [&]() -> void* {
    constexpr size_t kAlign = 64;
    tsr::require(bytes <= std::numeric_limits<size_t>::max() - kAlign, "[alloc] ", bytes, " bytes are too many");
    void* p = std::aligned_alloc(kAlign, (bytes + kAlign) / kAlign * kAlign);
    if (!p) {
      tsr::fail(tsr::ErrorCode::kOutOfMemory, "the system refused ", bytes,
                " bytes; free tensors with dispose() or wrap the code in tidy()");
    }
    return p;
  });
}

void tsr_free(void* p) { std::free(p); }

int tsr_memory(double* out) {
  return guard(-1, [&] {
    const tsr::Engine::Memory m = tsr::Engine::get().memory();
    const Tensors& tensors = Tensors::get();
    out[0] = static_cast<double>(tensors.count());
    out[1] = static_cast<double>(tensors.ledger().buffers());
    out[2] = static_cast<double>(tensors.ledger().bytes());
    out[3] = static_cast<double>(m.host_bytes);
    out[4] = static_cast<double>(m.device_bytes);
    out[5] = static_cast<double>(m.plans);
    out[6] = static_cast<double>(m.peak_host_bytes);
    out[7] = static_cast<double>(m.cap);
    return 0;
  });
}

int tsr_set_memory_cap(double bytes) {
  return guard(-1, [&] {
    tsr::require(bytes >= 0, "[memory] the cap must be 0 or more bytes, got ", bytes);
    const double most = static_cast<double>(std::numeric_limits<size_t>::max());
    tsr::HostBuffer::set_cap(bytes >= most ? std::numeric_limits<size_t>::max() : static_cast<size_t>(bytes));
    return 0;
  });
}

int tsr_set_device(const char* name) {
  return guard(-1, [&] {
    tsr::require(name != nullptr, "[device] name is a null pointer");
    tsr::Engine::get().set_device(name);
    return 0;
  });
}

const char* tsr_device(void) {
  return guard(static_cast<const char*>(nullptr), [] { return tsr::Engine::get().device().name(); });
}

int tsr_set_threads(int threads) {
  return guard(-1, [&] {
    tsr::require(threads >= 0, "[threads] the number must be 0 (all cores) or more, got ", threads);
    tsr::Engine::get().set_threads(threads);
    return 0;
  });
}

int tsr_limit_tile_rows(int rows) {
  return guard(-1, [&] {
    tsr::require(rows >= 0, "[limit_tile_rows] the number must be 0 (no limit) or more, got ", rows);
    tsr::g_tile_row_limit.store(rows, std::memory_order_relaxed);
    return 0;
  });
}

int tsr_threads(void) {
  return guard(-1, [] { return tsr::Engine::get().threads(); });
}

const int32_t* tsr_wake_counter(void) {
  static_assert(sizeof(std::atomic<int32_t>) == sizeof(int32_t) && std::atomic<int32_t>::is_always_lock_free);
  return reinterpret_cast<const int32_t*>(tsr::Executor::get().wake_counter());
}

int tsr_profile_begin(void) {
  return guard(-1, [] {
    tsr::Engine::get().profile_begin();
    return 0;
  });
}

const char* tsr_profile_end(void) {
  return guard(static_cast<const char*>(nullptr), [] {
    tsr::Text lines;
    for (const auto& l : tsr::Engine::get().profile_end()) {
      lines << l.what << ' ' << l.device << ' ' << l.ms << ' ' << l.bytes << '\n';
    }
    return tsr::capi::returned_string(lines.str());
  });
}

}  // extern "C"
