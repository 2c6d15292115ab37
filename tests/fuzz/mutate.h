// Mutations of a model.json / shard pair: of bytes, and of the JSON's structure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "../models/reference.h"
#include "formats/tfjs/manifest.h"

namespace tsr::fuzz {

class Random {
 public:
  explicit Random(uint32_t seed) : generate_(seed) {}
  uint32_t operator()() { return generate_(); }
  /// In [0, n); n > 0.
  uint32_t below(uint32_t n) { return generate_() % n; }
  bool one_in(uint32_t n) { return below(n) == 0; }

 private:
  testing::Mulberry32 generate_;
};

// ---- Bytes

template <typename Bytes>
std::string mutate_bytes(Random& r, Bytes& bytes) {
  using Byte = typename Bytes::value_type;
  if (bytes.empty()) {
    bytes.push_back(static_cast<Byte>(r.below(256)));
    return "a byte";
  }
  const auto n = static_cast<uint32_t>(bytes.size());
  switch (r.below(5)) {
    case 0: {
      for (uint32_t i = 0, flips = 1 + r.below(8); i < flips; ++i) {
        Byte& b = bytes[r.below(n)];
        b = static_cast<Byte>(static_cast<unsigned>(b) ^ 1u << r.below(8));
      }
      return "bits flipped";
    }
    case 1:
      bytes.resize(r.below(n));
      return "truncated";
    case 2: {
      const uint32_t at = r.below(n), count = 1 + r.below(std::min(n - at, 64u));
      bytes.erase(bytes.begin() + at, bytes.begin() + at + count);
      return "a range removed";
    }
    case 3: {
      const uint32_t at = r.below(n), count = 1 + r.below(std::min(n - at, 64u));
      const Bytes piece(bytes.begin() + at, bytes.begin() + at + count);
      bytes.insert(bytes.begin() + r.below(n), piece.begin(), piece.end());
      return "a range doubled";
    }
    default: {
      for (uint32_t i = 0, count = 1 + r.below(4); i < count; ++i) bytes[r.below(n)] = static_cast<Byte>(r.below(256));
      return "bytes overwritten";
    }
  }
}

// ---- Structure

inline const char* kind_name(const rapidjson::Value& v) {
  return v.IsObject()   ? "an object"
         : v.IsArray()  ? "a list"
         : v.IsString() ? "a string"
         : v.IsNumber() ? "a number"
                        : "a value";
}

class JsonMutator {
 public:
  JsonMutator(Random& r, rapidjson::Document& doc) : r_(r), doc_(doc) {}

  std::string mutate() {
    collect();
    if (places_.empty()) return "nothing";
    rapidjson::Value& v = *places_[r_.below(static_cast<uint32_t>(places_.size()))];
    auto& a = doc_.GetAllocator();
    switch (r_.below(10)) {
      case 0: {
        const char* kind = kind_name(v);
        v.SetNull();
        return std::string(kind) + " nulled";
      }
      case 1:
        if (v.IsObject() && v.MemberCount() > 0) {
          auto it = v.MemberBegin() + r_.below(v.MemberCount());
          const std::string key = it->name.GetString();
          v.RemoveMember(it);
          return "key '" + key + "' removed";
        }
        return renumber(v);
      case 2:
        if (v.IsArray() && v.Size() > 0) {
          const uint32_t i = r_.below(v.Size());
          if (r_.one_in(2)) {
            v.Erase(v.Begin() + i);
            return "an element removed";
          }
          rapidjson::Value copy(v[i], a);
          v.PushBack(copy, a);
          return "an element doubled";
        }
        return renumber(v);
      case 3:
        if (v.IsArray() && v.Size() > 1) {
          v[r_.below(v.Size())].Swap(v[r_.below(v.Size())]);
          return "elements swapped";
        }
        return rename();
      case 4:
      case 5:
        return rename();
      case 6:
        // A value of another place, so often of another kind.
        {
          rapidjson::Value copy(*places_[r_.below(static_cast<uint32_t>(places_.size()))], a);
          v = copy;
          return "a value replaced by another";
        }
      case 7:
        return nest(v);
      default:
        return renumber(v);
    }
  }

 private:
  void collect() {
    places_.clear();
    strings_.clear();
    numbers_.clear();
    std::vector<rapidjson::Value*> todo{&doc_};
    while (!todo.empty()) {
      rapidjson::Value* v = todo.back();
      todo.pop_back();
      places_.push_back(v);
      if (v->IsObject()) {
        for (auto& m : v->GetObject()) todo.push_back(&m.value);
      } else if (v->IsArray()) {
        for (rapidjson::Value& e : v->GetArray()) todo.push_back(&e);
      } else if (v->IsString()) {
        strings_.push_back(v);
        const std::string s = v->GetString();
        if (!s.empty() && s.find_first_not_of("-0123456789") == std::string::npos) numbers_.push_back(v);
      } else if (v->IsNumber()) {
        numbers_.push_back(v);
      }
    }
  }

  // A name, dtype, op or input becomes another string of the document, or one of a few odd ones.
  std::string rename() {
    static const char* const kOdd[] = {"",
                                       ":",
                                       "^",
                                       "a:b:c",
                                       "DT_STRING",
                                       "DT_VARIANT",
                                       "string",
                                       "complex64",
                                       "bool",
                                       "int32",
                                       "float16",
                                       "uint8",
                                       "U0FNRQ==",
                                       "TkNIVw==",
                                       "RVhQTElDSVQ=",
                                       "../weights.bin",
                                       "weights.bin",
                                       "x:1",
                                       "x:99999999999"};
    if (strings_.empty()) return "nothing";
    rapidjson::Value& v = *strings_[r_.below(static_cast<uint32_t>(strings_.size()))];
    std::string to;
    if (r_.one_in(4)) {
      to = kOdd[r_.below(std::size(kOdd))];
    } else {
      to = strings_[r_.below(static_cast<uint32_t>(strings_.size()))]->GetString();
      if (r_.one_in(8)) to += ":" + std::to_string(r_.below(4));
    }
    const std::string from = v.GetString();
    v.SetString(to.data(), static_cast<rapidjson::SizeType>(to.size()), doc_.GetAllocator());
    return "'" + from.substr(0, 40) + "' -> '" + to.substr(0, 40) + "'";
  }

  // A number (or, failing that, the place given) becomes another.
  std::string renumber(rapidjson::Value& other) {
    static const double kOdd[] = {0,
                                  -1,
                                  1,
                                  2,
                                  3,
                                  7,
                                  64,
                                  255,
                                  1000,
                                  65536,
                                  2147483647.0,
                                  2147483648.0,
                                  4294967296.0,
                                  9007199254740992.0,
                                  9.3e18,
                                  -9.3e18,
                                  1e300,
                                  -2147483648.0,
                                  0.5,
                                  -0.0};
    rapidjson::Value& v =
        numbers_.empty() || r_.one_in(8) ? other : *numbers_[r_.below(static_cast<uint32_t>(numbers_.size()))];
    const double to = kOdd[r_.below(std::size(kOdd))];
    if (v.IsString() && r_.one_in(2)) {
      const std::string text = std::to_string(static_cast<int64_t>(std::fabs(to) < 9e18 ? to : 9e18));
      v.SetString(text.data(), static_cast<rapidjson::SizeType>(text.size()), doc_.GetAllocator());
      return "a number -> '" + text + "'";
    }
    if (to == std::trunc(to) && std::fabs(to) < 9e18)
      v.SetInt64(static_cast<int64_t>(to));
    else
      v.SetDouble(to);
    return "a number -> " + std::to_string(to);
  }

  std::string nest(rapidjson::Value& v) {
    auto& a = doc_.GetAllocator();
    for (uint32_t i = 0, depth = 1 + r_.below(3); i < depth; ++i) {
      rapidjson::Value list(rapidjson::kArrayType), inner(v, a);
      list.PushBack(inner, a);
      v = list;
    }
    return "a value nested";
  }

  Random& r_;
  rapidjson::Document& doc_;
  std::vector<rapidjson::Value*> places_, strings_, numbers_;
};

/// Cuts the shard, or fills it up, to what the manifest declares (when it can be read, and is not far more).
inline void fit_shard(Random& r, const std::string& json, std::vector<std::byte>& shard) {
  try {
    const formats::Manifest manifest = formats::parse_manifest(formats::parse_json(json, "model.json"));
    if (manifest.bytes > int64_t{1} << 24) return;
    while (static_cast<int64_t>(shard.size()) < manifest.bytes) shard.push_back(static_cast<std::byte>(r.below(4)));
    shard.resize(static_cast<size_t>(manifest.bytes));
  } catch (const Error&) {
    // Not a manifest any more.
  }
}

/// Changes the pair in one to three ways; returns what was done.
inline std::string mutate(Random& r, std::string& json, std::vector<std::byte>& shard) {
  std::string done;
  const auto note = [&done](const std::string& what) { done += (done.empty() ? "" : "; ") + what; };
  const uint32_t kind = r.below(10);
  if (kind < 7) {
    rapidjson::Document doc;
    doc.Parse(json.data(), json.size());
    for (uint32_t i = 0, n = r.one_in(3) ? 2 : 1; i < n; ++i) note("json: " + JsonMutator(r, doc).mutate());
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    doc.Accept(writer);
    json.assign(buffer.GetString(), buffer.GetSize());
  } else if (kind < 8) {
    note("text: " + mutate_bytes(r, json));
  } else if (r.one_in(16)) {
    json = std::string(1 << 20, r.one_in(2) ? '[' : '{') + json;
    note("text: deep nesting");
  }
  if (kind >= 8 || r.one_in(6)) note("shard: " + mutate_bytes(r, shard));
  // Often the shard is given the length that the manifest wants, so that what lies behind that check is reached.
  if (!r.one_in(3)) fit_shard(r, json, shard);
  return done;
}

}  // namespace tsr::fuzz
