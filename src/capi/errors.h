// Where exceptions stop: every function of the C ABI runs its body inside guard().
#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace tsr::capi {

/// Remembers the error for tsr_last_error() of this thread.
void set_last_error(ErrorCode code, std::string message) noexcept;
/// Turns the exception being handled into the last error. Only inside a catch block.
void capture_exception() noexcept;

/// Runs body and returns its result; after an exception, `failed`.
template <typename R, typename Body>
R guard(R failed, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    capture_exception();
    return failed;
  }
}

}  // namespace tsr::capi
