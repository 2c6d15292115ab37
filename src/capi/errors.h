// Where exceptions stop: every function of the C ABI runs its body inside guard().
#pragma once

#include <utility>

#include "base/error.h"

namespace tsr::capi {

/// Turns the exception being handled into the last error of this thread. Only inside a catch block.
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
