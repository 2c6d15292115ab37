#include "formats/common/json.h"

// RapidJSON's assertions guard its callers; should one ever fail, it must become an error, not an abort.
#define RAPIDJSON_ASSERT(x) \
  (static_cast<bool>(x) ? static_cast<void>(0) : ::tsr::check(false, "the JSON reader was used in the wrong way"))
#define RAPIDJSON_NOEXCEPT_ASSERT(x) static_cast<void>(0)
// Its reader and writer alone: its document.h is not valid C++ for newer compilers (it assigns to a const member).
#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace tsr::formats {

// Receives the reader's events. Children are collected on a stack and moved to the arena, side by side, when their
// parent ends.
class JsonBuilder {
 public:
  JsonDoc take() {
    if (!values_.empty()) doc_.root_ = values_.back().value;
    return std::move(doc_);
  }

  bool Null() {
    add(Json::Kind::kNull);
    return true;
  }
  bool Bool(bool b) {
    add(Json::Kind::kBool).value_.boolean = b;
    return true;
  }
  bool Int(int n) { return Int64(n); }
  bool Uint(unsigned n) { return Int64(n); }
  bool Int64(int64_t n) {
    add(Json::Kind::kInt).value_.integer = n;
    return true;
  }
  bool Uint64(uint64_t n) {
    if (n <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return Int64(static_cast<int64_t>(n));
    return Double(static_cast<double>(n));
  }
  bool Double(double d) {
    add(Json::Kind::kFloat).value_.number = d;
    return true;
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }  // never asked for
  bool String(const char* s, rapidjson::SizeType n, bool) {
    const std::string_view kept = keep(s, n);
    Json& v = add(Json::Kind::kString);
    v.count_ = n;
    v.value_.text = kept.data();
    return true;
  }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    key_ = keep(s, n);
    return true;
  }
  bool StartObject() { return start(); }
  bool StartArray() { return start(); }
  bool EndObject(rapidjson::SizeType n) {
    auto* to = allocate<JsonMember>(n);
    std::copy(values_.end() - n, values_.end(), to);
    values_.resize(values_.size() - n);
    key_ = open_.back();
    open_.pop_back();
    Json& v = add(Json::Kind::kObject);
    v.count_ = n;
    v.value_.members = to;
    return true;
  }
  bool EndArray(rapidjson::SizeType n) {
    auto* to = allocate<Json>(n);
    for (size_t i = 0; i < n; ++i) to[i] = values_[values_.size() - n + i].value;
    values_.resize(values_.size() - n);
    key_ = open_.back();
    open_.pop_back();
    Json& v = add(Json::Kind::kList);
    v.count_ = n;
    v.value_.items = to;
    return true;
  }

 private:
  Json& add(Json::Kind kind) {
    values_.push_back({key_, {}});
    values_.back().value.kind_ = kind;
    return values_.back().value;
  }
  bool start() {
    open_.push_back(key_);
    return true;
  }

  void* bytes(size_t n, size_t align) {
    // Blocks of 64 KiB; larger requests get their own.
    constexpr size_t kBlock = 65536;
    used_ = (used_ + align - 1) / align * align;
    if (doc_.blocks_.empty() || used_ + n > size_) {
      size_ = std::max(n, kBlock);
      doc_.blocks_.push_back(std::make_unique<std::byte[]>(size_));
      used_ = 0;
    }
    void* p = doc_.blocks_.back().get() + used_;
    used_ += n;
    return p;
  }
  template <typename T>
  T* allocate(size_t n) {
    return static_cast<T*>(bytes(n * sizeof(T), alignof(T)));
  }
  std::string_view keep(const char* s, size_t n) {
    char* p = allocate<char>(n);
    if (n > 0) std::memcpy(p, s, n);
    return {p, n};
  }

  JsonDoc doc_;
  size_t used_ = 0, size_ = 0;
  std::string_view key_;
  std::vector<std::string_view> open_;  // the keys of the lists and objects around
  std::vector<JsonMember> values_;
};

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

JsonDoc parse_json(std::string_view text, const char* what) {
  rapidjson::MemoryStream bytes(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);  // skips a byte order mark
  rapidjson::Reader reader;
  JsonBuilder builder;
  // Full precision: scales of quantised weights must not lose their last bit.
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;
  reader.Parse<kFlags>(stream, builder);
  if (reader.HasParseError()) {
    std::string why = rapidjson::GetParseError_En(reader.GetParseErrorCode());
    while (!why.empty() && (why.back() == '.' || why.back() == ' ')) why.pop_back();
    fail(ErrorCode::kBadFile, what, " is not valid JSON: ", why, " at byte ", reader.GetErrorOffset(), " of ",
         text.size());
  }
  return builder.take();
}

const char* kind_of(const Json& v) {
  switch (v.kind()) {
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kBool:
      return "a boolean";
    case Json::Kind::kObject:
      return "an object";
    case Json::Kind::kList:
      return "a list";
    case Json::Kind::kString:
      return "a string";
    case Json::Kind::kInt:
    case Json::Kind::kFloat:
      return "a number";
  }
  return "something else";
}

const Json* member(const Json& v, std::string_view key) {
  for (const JsonMember& m : v.members()) {
    if (m.name == key) return m.value.is_null() ? nullptr : &m.value;
  }
  return nullptr;
}

const Json& object_at(const Json& v, const char* key, const std::string& where) {
  const Json& m = needed(v, key, where.empty() ? "model.json" : where);
  if (!m.is_object()) wrong(path(where, key), "an object", m);
  return m;
}

const Json& list_at(const Json& v, const char* key, const std::string& where) {
  const Json& m = needed(v, key, where.empty() ? "model.json" : where);
  if (!m.is_list()) wrong(path(where, key), "a list", m);
  return m;
}

std::string string_at(const Json& v, const char* key, const std::string& where) {
  const Json& m = needed(v, key, where.empty() ? "model.json" : where);
  if (!m.is_string()) wrong(path(where, key), "a string", m);
  return std::string(m.text());
}

std::string string_or(const Json& v, const char* key, const std::string& otherwise, const std::string& where) {
  return member(v, key) ? string_at(v, key, where) : otherwise;
}

int64_t int_of(const Json& v, const std::string& where) {
  if (v.kind() == Json::Kind::kInt) return v.integer();
  if (v.is_number()) {
    const double d = v.number();
    // 2^53: beyond, a double no longer tells neighbouring integers apart.
    if (std::isfinite(d) && d == std::trunc(d) && std::fabs(d) <= 9007199254740992.0) return static_cast<int64_t>(d);
    fail(ErrorCode::kBadFile, where, " must be an integer, found ", d);
  }
  if (v.is_string()) {
    const std::string_view s = v.text();
    int64_t n = 0;
    const auto [stop, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (error == std::errc() && stop == s.data() + s.size() && !s.empty()) return n;
    fail(ErrorCode::kBadFile, where, " must be an integer, found '", s.substr(0, 40), "'");
  }
  wrong(where, "an integer", v);
}

double number_of(const Json& v, const std::string& where) {
  if (v.is_number()) return v.number();
  if (v.text() == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (v.text() == "Infinity") return std::numeric_limits<double>::infinity();
  if (v.text() == "-Infinity") return -std::numeric_limits<double>::infinity();
  wrong(where, "a number", v);
}

std::string to_text(const Json& root) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  // A walk with its own stack. `next`: the child to come.
  struct Open {
    const Json* v;
    size_t next = 0;
  };
  std::vector<Open> stack;
  const auto put = [&](const Json& v) {
    switch (v.kind()) {
      case Json::Kind::kNull:
        writer.Null();
        break;
      case Json::Kind::kBool:
        writer.Bool(v.boolean());
        break;
      case Json::Kind::kInt:
        writer.Int64(v.integer());
        break;
      case Json::Kind::kFloat:
        writer.Double(v.number());
        break;
      case Json::Kind::kString:
        writer.String(v.text().data(), static_cast<rapidjson::SizeType>(v.text().size()));
        break;
      case Json::Kind::kList:
        writer.StartArray();
        stack.push_back({&v});
        break;
      case Json::Kind::kObject:
        writer.StartObject();
        stack.push_back({&v});
        break;
    }
  };
  put(root);
  while (!stack.empty()) {
    Open& top = stack.back();
    if (top.next == top.v->size()) {
      if (top.v->is_list())
        writer.EndArray();
      else
        writer.EndObject();
      stack.pop_back();
      continue;
    }
    const size_t k = top.next++;
    if (top.v->is_list()) {
      put(top.v->items()[k]);
    } else {
      const JsonMember& m = top.v->members()[k];
      writer.Key(m.name.data(), static_cast<rapidjson::SizeType>(m.name.size()));
      put(m.value);
    }
  }
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
    if (c >= 'A' && c <= 'Z')
      six = static_cast<uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      six = static_cast<uint32_t>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      six = static_cast<uint32_t>(c - '0') + 52;
    else if (c == '+' || c == '-')
      six = 62;
    else if (c == '/' || c == '_')
      six = 63;
    else
      return false;
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
