// JSON as model files use it: parsed iteratively by RapidJSON's reader (nesting cannot overflow the stack) into an
// immutable tree that lives in one arena, and read through functions that check.
//
// Every reader throws kBadFile with one sentence that says where ("weightsManifest[0].weights[3].shape"), what was
// wanted and what was found. Nothing here aborts on a value of the wrong kind.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tsr::formats {

struct JsonMember;

/// A value. Trivially copyable; its children and text belong to the JsonDoc that it came from.
class Json {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kFloat, kString, kList, kObject };

  Kind kind() const { return kind_; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_list() const { return kind_ == Kind::kList; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_number() const { return kind_ == Kind::kInt || kind_ == Kind::kFloat; }
  bool is_true() const { return kind_ == Kind::kBool && value_.boolean; }

  // Each gives something empty or 0 for values of another kind.
  bool boolean() const { return is_true(); }
  int64_t integer() const { return kind_ == Kind::kInt ? value_.integer : 0; }
  double number() const {
    return kind_ == Kind::kFloat ? value_.number : kind_ == Kind::kInt ? static_cast<double>(value_.integer) : 0;
  }
  std::string_view text() const { return is_string() ? std::string_view(value_.text, count_) : std::string_view(); }
  std::span<const Json> items() const;
  std::span<const JsonMember> members() const;
  /// Items of a list, members of an object.
  size_t size() const { return is_list() || is_object() ? count_ : 0; }
  const Json& operator[](size_t i) const { return items()[i]; }

 private:
  friend class JsonBuilder;
  Kind kind_ = Kind::kNull;
  uint32_t count_ = 0;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char* text;
    const Json* items;
    const JsonMember* members;
  } value_{};
};

struct JsonMember {
  std::string_view name;
  Json value;
};

inline std::span<const Json> Json::items() const {
  return is_list() ? std::span<const Json>(value_.items, count_) : std::span<const Json>();
}
inline std::span<const JsonMember> Json::members() const {
  return is_object() ? std::span<const JsonMember>(value_.members, count_) : std::span<const JsonMember>();
}

/// A parsed document: the root and the memory of everything below it. Movable; values stay where they are.
class JsonDoc {
 public:
  const Json& root() const { return root_; }
  operator const Json&() const { return root_; }  // NOLINT: a document reads like its root

 private:
  friend class JsonBuilder;
  Json root_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

/// Parses `text`; `what` names it in errors. Throws kBadFile "model.json is not valid JSON: ... at byte 17 of 40".
JsonDoc parse_json(std::string_view text, const char* what);

/// "a number", "a list" ... for messages.
const char* kind_of(const Json& v);

/// The member of that name; null when v is no object, lacks it, or has null there.
const Json* member(const Json& v, std::string_view key);
/// The member of that name, which must be an object / a list. Throws when missing or of another kind. `where` names v;
/// empty: the document.
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
