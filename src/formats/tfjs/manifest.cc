#include "formats/tfjs/manifest.h"

#include <string_view>
#include <unordered_set>

namespace tsr::formats {
namespace {

Shape parse_shape(const Json& list, const std::string& where) {
  if (list.size() > kMaxRank) {
    fail(ErrorCode::kBadFile, where, " has ", list.size(), " dimensions; at most ", kMaxRank, " are possible");
  }
  Shape shape;
  int64_t elements = 1;
  for (const Json& e : list.items()) {
    const int64_t d = int_of(e, where);
    if (d < 0) fail(ErrorCode::kBadFile, where, " holds ", d, "; a weight's dimensions must not be negative");
    // Checked factor by factor, so that the product never overflows.
    if (d > kMaxElements || (d > 0 && elements > kMaxElements / d)) {
      fail(ErrorCode::kBadFile, where, " declares more than ", kMaxElements, " elements");
    }
    elements *= d;
    shape.push_back(d);
  }
  return shape;
}

WeightCodec parse_codec(const Json& spec, const std::string& where) {
  WeightCodec codec;
  const std::string dtype = string_at(spec, "dtype", where);
  if (dtype == "float32")
    codec.dtype = DType::kFloat32;
  else if (dtype == "int32")
    codec.dtype = DType::kInt32;
  else if (dtype == "bool")
    codec.dtype = DType::kBool;
  else if (dtype == "complex64")
    codec.dtype = DType::kComplex64;
  else if (dtype == "string") {
    codec.dtype = DType::kString;
    codec.kind = WeightCodec::Kind::kStrings;
  } else if (dtype == "float16") {
    codec.dtype = DType::kFloat32;
    codec.kind = WeightCodec::Kind::kHalf;
  } else {
    fail(ErrorCode::kBadFile, where, " has dtype '", dtype,
         "'; known are float32, int32, bool, complex64, string and float16");
  }
  const Json* q = member(spec, "quantization");
  if (!q) return codec;
  const std::string at = where + ".quantization";
  const std::string stored = string_at(*q, "dtype", at);
  const bool number = codec.kind == WeightCodec::Kind::kRaw && (dtype == "float32" || dtype == "int32");
  if (!number) fail(ErrorCode::kBadFile, where, " of dtype '", dtype, "' cannot be quantised");
  if (stored == "float16") {
    if (codec.dtype != DType::kFloat32)
      fail(ErrorCode::kBadFile, where, " is stored as float16, so its dtype must be float32");
    codec.kind = WeightCodec::Kind::kHalf;
    return codec;
  }
  if (stored == "uint8")
    codec.kind = WeightCodec::Kind::kUint8;
  else if (stored == "uint16")
    codec.kind = WeightCodec::Kind::kUint16;
  else
    fail(ErrorCode::kBadFile, at, " has dtype '", stored, "'; known are uint8, uint16 and float16");
  const Json* scale = member(*q, "scale");
  const Json* min = member(*q, "min");
  if (!scale || !min) fail(ErrorCode::kBadFile, at, " needs 'scale' and 'min'");
  codec.scale = number_of(*scale, at + ".scale");
  codec.min = number_of(*min, at + ".min");
  return codec;
}

void parse_weights(const Json& list, const std::string& where, WeightGroup& group, Manifest& manifest,
                   std::unordered_set<std::string>& names) {
  group.first = manifest.weights.size();
  group.count = list.size();
  for (size_t i = 0; i < list.size(); ++i) {
    const Json& spec = list[i];
    std::string at = where + "[" + std::to_string(i) + "]";
    if (!spec.is_object()) fail(ErrorCode::kBadFile, at, " must be an object, found ", kind_of(spec));
    WeightSpec w;
    w.name = string_at(spec, "name", at);
    at += " ('" + w.name + "')";
    w.codec = parse_codec(spec, at);
    w.type.dtype = w.codec.dtype;
    w.type.shape = parse_shape(list_at(spec, "shape", at), at + ".shape");
    if (!names.insert(w.name).second)
      fail(ErrorCode::kBadFile, "weight '", w.name, "' is declared twice in the manifest");
    // At most 2^31 elements of 8 bytes: no overflow.
    w.bytes = w.type.shape.size() * static_cast<int64_t>(w.codec.stored_size());
    if (w.codec.kind == WeightCodec::Kind::kStrings) group.exact = manifest.exact = false;
    group.bytes += w.bytes;
    manifest.parameters += w.type.shape.size();
    manifest.weights.push_back(std::move(w));
  }
  manifest.bytes += group.bytes;
}

}  // namespace

Manifest parse_manifest(const Json& root) {
  Manifest manifest;
  std::unordered_set<std::string> names;
  if (!member(root, "weightsManifest") && member(root, "weightSpecs")) {
    WeightGroup group;
    parse_weights(list_at(root, "weightSpecs", ""), "weightSpecs", group, manifest, names);
    manifest.groups.push_back(std::move(group));
    return manifest;
  }
  const Json& list = list_at(root, "weightsManifest", "");
  for (size_t g = 0; g < list.size(); ++g) {
    const std::string at = "weightsManifest[" + std::to_string(g) + "]";
    if (!list[g].is_object()) fail(ErrorCode::kBadFile, at, " must be an object, found ", kind_of(list[g]));
    WeightGroup group;
    for (const Json& p : list_at(list[g], "paths", at).items()) {
      if (!p.is_string()) fail(ErrorCode::kBadFile, at, ".paths must hold strings, found ", kind_of(p));
      group.paths.emplace_back(p.text());
    }
    parse_weights(list_at(list[g], "weights", at), at + ".weights", group, manifest, names);
    manifest.groups.push_back(std::move(group));
  }
  return manifest;
}

}  // namespace tsr::formats
