// JSON as model files use it: parsed iteratively (nesting cannot overflow the stack), read through functions that check.
//
// Every reader throws kBadFile with one sentence that says where ("weightsManifest[0].weights[3].shape"), what was wanted and what
// was found. Nothing here aborts on a value of the wrong kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

// RapidJSON's assertions guard against reading a value as what it is not. The readers below check first; should one be missed, it
// must become an error, not an abort.
#define RAPIDJSON_ASSERT(x) \
  (static_cast<bool>(x) ? static_cast<void>(0) : ::tsr::check(false, "a JSON value was read as what it is not"))
#define RAPIDJSON_NOEXCEPT_ASSERT(x) static_cast<void>(0)
#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/document.h>

namespace tsr::formats {

using Json = rapidjson::Value;

/// Parses `text`; `what` names it in errors. Throws kBadFile "model.json is not valid JSON: ... at byte 17".
rapidjson::Document parse_json(std::string_view text, const char* what);

/// "a number", "a list" ... for messages.
const char* kind_of(const Json& v);

/// The member of that name; null when v is no object, lacks it, or has null there.
const Json* member(const Json& v, const char* key);
/// The member of that name, which must be an object / a list. Throws when missing or of another kind.
const Json& object_at(const Json& v, const char* key, const std::string& where);
const Json& list_at(const Json& v, const char* key, const std::string& where);
/// The member of that name as a string; throws when missing or not a string.
std::string string_at(const Json& v, const char* key, const std::string& where);
/// The same, or `otherwise` when missing.
std::string string_or(const Json& v, const char* key, const std::string& otherwise, const std::string& where);

/// An integer, given as a number or (as protocol buffers print 64-bit ones) as a string of digits.
int64_t int_of(const Json& v, const std::string& where);
/// A number, given as such or as "NaN", "Infinity", "-Infinity".
double number_of(const Json& v, const std::string& where);

/// The value as JSON text again.
std::string to_text(const Json& v);

/// Decodes base64 (either alphabet, padding optional). Returns false when `text` is not base64.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace tsr::formats
