#include "capi/errors.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "tessera/tessera.h"

namespace tsr::capi {
namespace {

// A plain buffer: recording an error needs no memory, which may be just what there is none of, and a thread-local object without a
// destructor works in every WebAssembly build. Longer sentences (lists of unknown ops) are cut.
struct LastError {
  int code;
  char message[8192];
};
thread_local LastError t_last_error;

void set(ErrorCode code, std::string_view message) noexcept {
  const size_t n = std::min(message.size(), sizeof t_last_error.message - 1);
  t_last_error.code = static_cast<int>(code);
  std::memcpy(t_last_error.message, message.data(), n);
  t_last_error.message[n] = 0;
}

}  // namespace

void capture_exception() noexcept {
  try {
    throw;
  } catch (const Error& e) {
    set(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    set(ErrorCode::kOutOfMemory, "the system refused memory; free tensors with dispose() or wrap the code in tidy()");
  } catch (const std::exception& e) {
    set(ErrorCode::kInternal, e.what());
  } catch (...) {
    set(ErrorCode::kInternal, "internal fault: an unknown exception");
  }
}

}  // namespace tsr::capi

extern "C" {

int tsr_last_error_code(void) { return tsr::capi::t_last_error.code; }
const char* tsr_last_error(void) { return tsr::capi::t_last_error.message; }

}  // extern "C"
