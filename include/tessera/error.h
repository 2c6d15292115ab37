// Errors: a code for programs and one sentence for people.
//
// Every bad input (argument, shape, dtype, file, network answer, memory limit) is reported by throwing `Error`. The sentence
// names what was wrong, what was wanted and what was found: "[conv2d] filter has 4 input channels, but x has 3". A throw never
// leaves an object half changed: callers may go on with the engine as if the failed call had not been made.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "tessera/text.h"

namespace tsr {

/// What kind of fault it was. The numbers are part of the C ABI (include/tessera/tessera.h) and never change.
enum class ErrorCode : int {
  kInvalidArgument = 1,  ///< a wrong shape, dtype, attribute or name in a call
  kDisposed = 2,         ///< a handle that was disposed of, or never existed
  kNotFound = 3,         ///< a file, URL, op or model output that does not exist
  kBadFile = 4,          ///< a model file or weight shard that is malformed, truncated or inconsistent
  kUnsupported = 5,      ///< asks for something this build or device cannot do
  kOutOfMemory = 6,      ///< over the memory cap, or the allocator said no
  kDeviceLost = 7,       ///< the GPU device or context went away; the next run rebuilds it
  kCancelled = 8,        ///< the caller aborted
  kInternal = 9,         ///< a fault of Tessera's own
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Throws Error(code) with the parts joined.
template <typename... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, str(parts...));
}

/// Throws kInvalidArgument with the parts joined unless `ok`. The parts are evaluated either way, so keep them cheap.
template <typename... Parts>
void require(bool ok, const Parts&... parts) {
  if (!ok) [[unlikely]] {
    fail(ErrorCode::kInvalidArgument, parts...);
  }
}

/// A broken promise of Tessera's own code: throws kInternal, which callers may report but cannot mend.
template <typename... Parts>
void check(bool ok, const Parts&... parts) {
  if (!ok) [[unlikely]] {
    fail(ErrorCode::kInternal, "internal fault: ", parts...);
  }
}

}  // namespace tsr
