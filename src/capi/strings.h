// Strings that the C ABI returns: one buffer, overwritten by the next.
#pragma once

#include <string>

namespace tsr::capi {

/// Keeps the text until the next call and returns it zero-terminated.
const char* returned_string(std::string text);

}  // namespace tsr::capi
