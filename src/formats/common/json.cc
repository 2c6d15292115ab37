#include "formats/common/json.h"

#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace tsr::formats {
namespace {

[[noreturn]] void wrong(const std::string& where, const char* wanted, const Json& found) {
  fail(ErrorCode::kBadFile, where, " must be ", wanted, ", found ", kind_of(found));
}

const Json& needed(const Json& v, const char* key, const std::string& where) {
  const Json* m = member(v, key);
  if (!m) fail(ErrorCode::kBadFile, where, " has no '", key, "'");
  return *m;
}

// "where.key", or just the key at the top of the document.
std::string path(const std::string& where, const char* key) { return where.empty() ? key : where + "." + key; }

}  // namespace

rapidjson::Document parse_json(std::string_view text, const char* what) {
  rapidjson::Document doc;
  // Full precision: scales of quantised weights must not lose their last bit.
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;
  doc.Parse<kFlags>(text.data(), text.size());
  if (doc.HasParseError()) {
    std::string why = rapidjson::GetParseError_En(doc.GetParseError());
    while (!why.empty() && (why.back() == '.' || why.back() == ' ')) why.pop_back();
    fail(ErrorCode::kBadFile, what, " is not valid JSON: ", why, " at byte ", doc.GetErrorOffset(), " of ", text.size());
  }
  return doc;
}

const char* kind_of(const Json& v) {
  switch (v.GetType()) {
    case rapidjson::kNullType: return "null";
    case rapidjson::kFalseType:
    case rapidjson::kTrueType: return "a boolean";
    case rapidjson::kObjectType: return "an object";
    case rapidjson::kArrayType: return "a list";
    case rapidjson::kStringType: return "a string";
    case rapidjson::kNumberType: return "a number";
  }
  return "something else";
}

const Json* member(const Json& v, const char* key) {
  if (!v.IsObject()) return nullptr;
  const auto it = v.FindMember(key);
  return it == v.MemberEnd() || it->value.IsNull() ? nullptr : &it->value;
}

const Json& object_at(const Json& v, const char* key, const std::string& where) {
  const Json& m = needed(v, key, where.empty() ? "model.json" : where);
  if (!m.IsObject()) wrong(path(where, key), "an object", m);
  return m;
}

const Json& list_at(const Json& v, const char* key, const std::string& where) {
  const Json& m = needed(v, key, where.empty() ? "model.json" : where);
  if (!m.IsArray()) wrong(path(where, key), "a list", m);
  return m;
}

std::string string_at(const Json& v, const char* key, const std::string& where) {
  const Json& m = needed(v, key, where.empty() ? "model.json" : where);
  if (!m.IsString()) wrong(path(where, key), "a string", m);
  return {m.GetString(), m.GetStringLength()};
}

std::string string_or(const Json& v, const char* key, const std::string& otherwise, const std::string& where) {
  return member(v, key) ? string_at(v, key, where) : otherwise;
}

int64_t int_of(const Json& v, const std::string& where) {
  if (v.IsInt64()) return v.GetInt64();
  if (v.IsNumber()) {
    const double d = v.GetDouble();
    // 2^53: beyond, a double no longer tells neighbouring integers apart.
    if (std::isfinite(d) && d == std::trunc(d) && std::fabs(d) <= 9007199254740992.0) return static_cast<int64_t>(d);
    fail(ErrorCode::kBadFile, where, " must be an integer, found ", d);
  }
  if (v.IsString()) {
    const char* begin = v.GetString();
    const char* end = begin + v.GetStringLength();
    int64_t n = 0;
    const auto [stop, error] = std::from_chars(begin, end, n);
    if (error == std::errc() && stop == end && begin != end) return n;
    fail(ErrorCode::kBadFile, where, " must be an integer, found '", std::string(begin, end).substr(0, 40), "'");
  }
  wrong(where, "an integer", v);
}

double number_of(const Json& v, const std::string& where) {
  if (v.IsNumber()) return v.GetDouble();
  if (v.IsString()) {
    const std::string_view s(v.GetString(), v.GetStringLength());
    if (s == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (s == "Infinity") return std::numeric_limits<double>::infinity();
    if (s == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  wrong(where, "a number", v);
}

std::string to_text(const Json& v) {
  // The writer recurses, so nesting is bounded before it starts; no honest metadata is as deep.
  constexpr int kMaxDepth = 200;
  std::vector<std::pair<const Json*, int>> todo{{&v, 0}};
  while (!todo.empty()) {
    const auto [value, depth] = todo.back();
    todo.pop_back();
    if (depth > kMaxDepth) fail(ErrorCode::kBadFile, "model.json: its metadata is nested more than ", kMaxDepth, " levels deep");
    if (value->IsObject()) {
      for (const auto& m : value->GetObject()) todo.emplace_back(&m.value, depth + 1);
    } else if (value->IsArray()) {
      for (const Json& e : value->GetArray()) todo.emplace_back(&e, depth + 1);
    }
  }
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  v.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size() / 4 * 3 + 2);
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  uint32_t bits = 0;
  int held = 0;
  for (char c : text) {
    uint32_t six;
    if (c >= 'A' && c <= 'Z') six = static_cast<uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z') six = static_cast<uint32_t>(c - 'a') + 26;
    else if (c >= '0' && c <= '9') six = static_cast<uint32_t>(c - '0') + 52;
    else if (c == '+' || c == '-') six = 62;
    else if (c == '/' || c == '_') six = 63;
    else return false;
    bits = bits << 6 | six;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>(bits >> held & 0xFF));
    }
  }
  return true;
}

}  // namespace tsr::formats
