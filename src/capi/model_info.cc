#include "capi/model_info.h"

#include <cstdint>

namespace tsr::capi {
namespace {

// Names in model files are mostly ASCII, but nothing guarantees it: control characters are escaped, the rest is passed on.
std::string quoted(const std::string& s) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : s) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20) {
      out += "\\u00";
      out += kHex[u >> 4];
      out += kHex[u & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string ports(const std::vector<ModelInfo::Port>& list) {
  std::string out = "[";
  for (const auto& p : list) {
    if (out.size() > 1) out += ',';
    out += "{\"name\":" + quoted(p.name) + ",\"key\":" + quoted(p.signature_key) + ",\"dtype\":\"" + name_of(p.dtype) + "\",\"shape\":";
    if (p.shape_known) {
      out += '[';
      for (size_t i = 0; i < p.shape.size(); ++i) out += (i ? "," : "") + std::to_string(p.shape[i]);
      out += ']';
    } else {
      out += "null";
    }
    out += '}';
  }
  return out + ']';
}

// {"inputs":{key:{"name","dtype","shape"}}}: only ports that the file's signature names.
std::string signature(const std::vector<ModelInfo::Port>& list) {
  std::string out = "{";
  for (const auto& p : list) {
    if (p.signature_key.empty()) continue;
    if (out.size() > 1) out += ',';
    out += quoted(p.signature_key) + ":" + quoted(p.name);
  }
  return out + '}';
}

}  // namespace

std::string model_info_json(const Model& model) {
  const ModelInfo& info = model.info();
  std::string out = "{\"inputs\":" + ports(info.inputs) + ",\"outputs\":" + ports(info.outputs) +
                    ",\"signature\":{\"inputs\":" + signature(info.inputs) + ",\"outputs\":" + signature(info.outputs) + "},\"ops\":{";
  bool first = true;
  for (const auto& [name, count] : info.op_counts) {
    out += (first ? "" : ",") + quoted(name) + ":" + std::to_string(count);
    first = false;
  }
  out += "},\"parameters\":" + std::to_string(info.parameters) + ",\"bytes\":" + std::to_string(info.weight_bytes) +
         ",\"nodes\":" + std::to_string(model.graph().nodes().size()) + ",\"dynamic\":" + (model.dynamic() ? "true" : "false") +
         ",\"format\":" + quoted(info.format) + ",\"generatedBy\":" + quoted(info.generated_by) +
         ",\"convertedBy\":" + quoted(info.converted_by);
  // The metadata is JSON already, verbatim from the file (which parsed).
  out += ",\"metadata\":" + (info.metadata_json.empty() ? std::string("null") : info.metadata_json) + "}";
  return out;
}

}  // namespace tsr::capi
