#include "capi/errors.h"

#include <new>

#include "tessera/tessera.h"

namespace tsr::capi {
namespace {

struct LastError {
  int code = 0;
  std::string message;
};
thread_local LastError t_last_error;

}  // namespace

void set_last_error(ErrorCode code, std::string message) noexcept {
  t_last_error.code = static_cast<int>(code);
  t_last_error.message = std::move(message);
}

void capture_exception() noexcept {
  try {
    throw;
  } catch (const Error& e) {
    t_last_error.code = static_cast<int>(e.code());
    try {
      t_last_error.message = e.what();
    } catch (...) {
      t_last_error.message.clear();  // no memory for the sentence; the code still says what it was
    }
  } catch (const std::bad_alloc&) {
    // Short enough to need no allocation in common string implementations would be too little to say; the string's old buffer
    // is usually long enough.
    try {
      set_last_error(ErrorCode::kOutOfMemory,
                     "the system refused memory; free tensors with dispose() or wrap the code in tidy()");
    } catch (...) {
      set_last_error(ErrorCode::kOutOfMemory, {});
    }
  } catch (const std::exception& e) {
    set_last_error(ErrorCode::kInternal, std::string("internal fault: ") + e.what());
  } catch (...) {
    set_last_error(ErrorCode::kInternal, "internal fault: an unknown exception");
  }
}

}  // namespace tsr::capi

extern "C" {

int tsr_last_error_code(void) { return tsr::capi::t_last_error.code; }
const char* tsr_last_error(void) { return tsr::capi::t_last_error.message.c_str(); }

}  // extern "C"
