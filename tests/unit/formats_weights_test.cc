#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "formats/common/json.h"
#include "formats/common/weight_codec.h"
#include "formats/tfjs/manifest.h"
#include "formats/tfjs/weights.h"

namespace tsr::formats {
namespace {

Manifest manifest_of(const std::string& weights) {
  return parse_manifest(
      parse_json(R"({"weightsManifest": [{"paths": ["w.bin"], "weights": [)" + weights + "]}]}", "model.json"));
}

std::string error_of(const std::string& weights) {
  try {
    manifest_of(weights);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadFile);
    return e.what();
  }
  return "no error";
}

std::vector<float> floats(const Weight& w) {
  const auto* p = reinterpret_cast<const float*>(w.storage->host());
  return {p, p + w.type.shape.size()};
}

TEST(FormatsHalf, EveryValueIsExact) {
  EXPECT_EQ(half_to_float(0x0000), 0.0f);
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x03FF), 1023 * 0x1p-24f);
  EXPECT_EQ(half_to_float(0x0400), 0x1p-14f);
  EXPECT_EQ(half_to_float(0xC000), -2.0f);
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0f);
  EXPECT_EQ(half_to_float(0x7C00), INFINITY);
  EXPECT_EQ(half_to_float(0xFC00), -INFINITY);
  EXPECT_TRUE(std::isnan(half_to_float(0x7E00)));
}

// The same bytes in pieces of any size give the same weights.
TEST(FormatsWeights, PiecesOfAnySize) {
  const Manifest m = manifest_of(R"(
      {"name": "raw", "shape": [2], "dtype": "float32"}, {"name": "none", "shape": [0, 3], "dtype": "float32"},
      {"name": "half", "shape": [3], "dtype": "float32", "quantization": {"dtype": "float16"}},
      {"name": "byte", "shape": [3], "dtype": "float32", "quantization": {"dtype": "uint8", "scale": 0.5, "min": -1}},
      {"name": "word", "shape": [2], "dtype": "int32", "quantization": {"dtype": "uint16", "scale": 2, "min": 0.5}},
      {"name": "flag", "shape": [2], "dtype": "bool"}, {"name": "text", "shape": [2], "dtype": "string"})");
  std::vector<std::byte> bytes;
  const auto put = [&bytes](const auto& v) {
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    bytes.insert(bytes.end(), p, p + sizeof v);
  };
  put(1.5f), put(-2.0f);
  put(uint16_t{0x3C00}), put(uint16_t{0xC000}), put(uint16_t{0x7BFF});
  put(uint8_t{0}), put(uint8_t{3}), put(uint8_t{255});
  put(uint16_t{1}), put(uint16_t{65535});
  put(uint8_t{1}), put(uint8_t{7});
  put(uint32_t{3}), put(std::array<char, 3>{'a', 'b', 'c'}), put(uint32_t{0});
  EXPECT_EQ(m.bytes, static_cast<int64_t>(bytes.size()) - 3);  // a lower bound: the strings' own bytes are not known
  EXPECT_FALSE(m.exact);
  for (size_t step = 2; step <= 2 * bytes.size() + 1; ++step) {
    const size_t piece = step / 2;
    const bool in_place = step % 2 == 1;  // written where they belong, where there is a place
    WeightSink sink(m);
    for (size_t at = 0; at < bytes.size();) {
      size_t n = std::min(piece, bytes.size() - at);
      const std::span<std::byte> room = in_place ? sink.room() : std::span<std::byte>();
      if (room.empty()) {
        sink.add(std::span<const std::byte>(bytes).subspan(at, n));
      } else {
        n = std::min(n, room.size());
        std::memcpy(room.data(), bytes.data() + at, n);
        sink.filled(n);
      }
      at += n;
    }
    EXPECT_EQ(sink.received(), static_cast<int64_t>(bytes.size()));
    const Weights w = sink.finish();
    EXPECT_EQ(floats(w.at("raw")), (std::vector<float>{1.5f, -2}));
    EXPECT_EQ(w.at("none").type.shape, (Shape{0, 3}));
    EXPECT_EQ(floats(w.at("half")), (std::vector<float>{1, -2, 65504}));
    EXPECT_EQ(floats(w.at("byte")), (std::vector<float>{-1, 0.5f, 126.5f}));
    const auto* ints = reinterpret_cast<const int32_t*>(w.at("word").storage->host());
    EXPECT_EQ(ints[0], 3);  // 2.5 rounds up, as in JavaScript
    EXPECT_EQ(ints[1], 131071);
    EXPECT_EQ(w.at("flag").storage->host()[1], std::byte{1});
    EXPECT_EQ(w.at("text").storage->strings(), (std::vector<std::string>{"abc", ""}));
  }
}

TEST(FormatsWeights, TooFewAndTooManyBytes) {
  const Manifest m = manifest_of(R"({"name": "w", "shape": [2], "dtype": "float32"})");
  const std::vector<std::byte> nine(9);
  WeightSink sink(m);
  EXPECT_THROW(sink.add(nine), Error);
  sink.add(std::span<const std::byte>(nine).first(7));  // the refused piece changed nothing
  try {
    sink.finish();
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "the weight files are too short: the manifest declares 8 bytes, found 7 (weight 'w' is incomplete)");
  }
}

TEST(FormatsWeights, TooFewQuantisedBytes) {
  for (const char* how : {R"({"dtype": "float16"})", R"({"dtype": "uint16", "scale": 1, "min": 0})"}) {
    const Manifest m = manifest_of(std::string(R"({"name": "w", "shape": [3], "dtype": "float32", "quantization": )") + how + "}");
    const std::vector<std::byte> five(5);
    WeightSink sink(m);
    std::memcpy(sink.room().data(), five.data(), 2);
    sink.filled(2);
    sink.add(std::span<const std::byte>(five).first(3));
    try {
      sink.finish();
      FAIL();
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "the weight files are too short: the manifest declares 6 bytes, found 5 (weight 'w' is incomplete)");
    }
  }
}

TEST(FormatsManifest, FaultsAreNamed) {
  EXPECT_EQ(error_of(R"({"name": "w", "shape": [2], "dtype": "float64"})"),
            "weightsManifest[0].weights[0] ('w') has dtype 'float64'; known are float32, int32, bool, complex64, "
            "string and float16");
  EXPECT_EQ(error_of(R"({"name": "w", "shape": [-2], "dtype": "float32"})"),
            "weightsManifest[0].weights[0] ('w').shape holds -2; a weight's dimensions must not be negative");
  EXPECT_EQ(error_of(R"({"name": "w", "shape": [4000000000, 2], "dtype": "float32"})"),
            "weightsManifest[0].weights[0] ('w').shape declares more than 2147483647 elements");
  EXPECT_EQ(error_of(R"({"name": "w", "shape": [65536, 65536, 65536, 65536], "dtype": "float32"})"),
            "weightsManifest[0].weights[0] ('w').shape declares more than 2147483647 elements");
  EXPECT_EQ(error_of(R"({"name": "w", "shape": "2", "dtype": "float32"})"),
            "weightsManifest[0].weights[0] ('w').shape must be a list, found a string");
  EXPECT_EQ(error_of(R"({"shape": [2], "dtype": "float32"})"), "weightsManifest[0].weights[0] has no 'name'");
  EXPECT_EQ(error_of(R"({"name": "w", "shape": [], "dtype": "int32"}, {"name": "w", "shape": [], "dtype": "int32"})"),
            "weight 'w' is declared twice in the manifest");
  EXPECT_EQ(
      error_of(
          R"({"name": "w", "shape": [1], "dtype": "float32", "quantization": {"dtype": "uint4", "scale": 1, "min": 0}})"),
      "weightsManifest[0].weights[0] ('w').quantization has dtype 'uint4'; known are uint8, uint16 and float16");
  EXPECT_EQ(
      error_of(R"({"name": "w", "shape": [1], "dtype": "float32", "quantization": {"dtype": "uint8", "min": 0}})"),
      "weightsManifest[0].weights[0] ('w').quantization needs 'scale' and 'min'");
}

TEST(FormatsJson, SyntaxErrorsGiveTheByte) {
  try {
    parse_json("{\"a\": [1, 2,, 3]}", "model.json");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "model.json is not valid JSON: Invalid value at byte 12 of 17");
  }
}

TEST(FormatsJson, DeepNestingIsHarmless) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  const auto doc = parse_json(deep, "model.json");
  EXPECT_EQ(to_text(doc), deep);
  EXPECT_THROW(parse_json(std::string(1000000, '['), "model.json"), Error);
}

TEST(FormatsJson, IntegersComeAsNumbersOrText) {
  const JsonDoc parsed = parse_json(R"(["12", 12, 12.0, "x", 1.5, 1e300, "-3"])", "model.json");
  const Json& doc = parsed;
  EXPECT_EQ(int_of(doc[0], "n"), 12);
  EXPECT_EQ(int_of(doc[1], "n"), 12);
  EXPECT_EQ(int_of(doc[2], "n"), 12);
  EXPECT_THROW(int_of(doc[3], "n"), Error);
  EXPECT_THROW(int_of(doc[4], "n"), Error);
  EXPECT_THROW(int_of(doc[5], "n"), Error);
  EXPECT_EQ(int_of(doc[6], "n"), -3);
}

TEST(FormatsJson, TextAgain) {
  const std::string text = R"({"a":[1,-2,1.5,"x\"y",null,true,{}],"b":{"c":[]},"a":9223372036854775807})";
  const auto doc = parse_json("\xEF\xBB\xBF" + text, "model.json");
  EXPECT_EQ(to_text(doc), text);
  EXPECT_EQ(member(doc, "a")->size(), 7u);  // of two members of a name, the first
  EXPECT_EQ(member(doc, "b")->members()[0].name, "c");
  EXPECT_EQ(member(doc, "none"), nullptr);
  EXPECT_EQ(member(*member(doc, "a"), "a"), nullptr);
}

TEST(FormatsJson, Base64) {
  std::string out;
  EXPECT_TRUE(decode_base64("U0FNRQ==", out));
  EXPECT_EQ(out, "SAME");
  EXPECT_TRUE(decode_base64("", out));
  EXPECT_EQ(out, "");
  EXPECT_FALSE(decode_base64("U0*N", out));
}

}  // namespace
}  // namespace tsr::formats
