// docs/ops.md: the op reference, by family.
#include <map>
#include <variant>

#include "gen.h"

namespace tsr::gen {
namespace {

std::string kind_text(const AttrField& f) {
  switch (f.kind) {
    case AttrKind::kBool:
      return "boolean";
    case AttrKind::kInt:
      return "integer";
    case AttrKind::kFloat:
      return "number";
    case AttrKind::kInts:
      return "integers";
    case AttrKind::kFloats:
      return "numbers";
    case AttrKind::kDType:
      return "dtype";
    case AttrKind::kString:
      return "string";
    case AttrKind::kEnum: {
      std::string out;
      for (const char* c : f.choices) out += std::string(out.empty() ? "`" : ", `") + c + "`";
      return out;
    }
  }
  return "?";
}

template <typename T>
std::string list_text(const std::vector<T>& list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + number(static_cast<double>(list[i]));
  return out + "]";
}

std::string default_text(const OpDef& op, const AttrField& f) {
  if (f.required) return "required";
  const AttrValue v = default_of(op, f);
  switch (f.kind) {
    case AttrKind::kBool:
      return std::get<bool>(v) ? "true" : "false";
    case AttrKind::kInt:
      return std::to_string(std::get<int64_t>(v));
    case AttrKind::kFloat:
      return number(std::get<double>(v));
    case AttrKind::kInts:
      return list_text(std::get<std::vector<int64_t>>(v));
    case AttrKind::kFloats:
      return list_text(std::get<std::vector<double>>(v));
    case AttrKind::kDType:
      return name_of(std::get<DType>(v));
    case AttrKind::kString:
      return "\"" + std::get<std::string>(v) + "\"";
    case AttrKind::kEnum:
      return f.choices.at(static_cast<size_t>(std::get<int64_t>(v)));
  }
  return "?";
}

std::string runs_text(const OpDef& op) {
  if (op.alias) return "shares its input's memory";
  if (op.compose) return "composed of other ops";
  if (op.host) return "on the host";
  return op.elementwise ? "elementwise kernel" : "kernel";
}

std::string gradient_text(const OpDef& op) {
  if (op.vjp) return "yes";
  if (op.compose) return "through the ops it is composed of";
  return op.zero_gradient ? "zero" : "none";
}

std::string section(const OpDef& op) {
  std::string out = "### " + std::string(op.name) + "\n\n`" + op.name + "(";
  bool first = true;
  for (const InputDef& in : op.inputs) {
    out += (first ? "" : ", ") + std::string(in.name) + (in.variadic ? "[]" : in.optional ? "?" : "");
    first = false;
  }
  for (const AttrField& f : op.attrs->fields()) {
    out += (first ? "" : ", ") + std::string(f.name) + (f.required ? "" : "?");
    first = false;
  }
  out += ")`";
  if (!op.outputs.empty()) {
    out += " -> ";
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      out += (i ? ", " : "") + std::string("`") + op.outputs[i].name + (op.outputs[i].variadic ? "[]`" : "`");
    }
  }
  out += "\n\n" + std::string(op.doc) + "\n\n";
  if (!op.inputs.empty() || !op.attrs->fields().empty()) {
    out += "| argument | kind | default | meaning |\n|---|---|---|---|\n";
    for (const InputDef& in : op.inputs) {
      out += "| `" + std::string(in.name) + "` | " + (in.variadic ? "tensors" : "tensor") + " | " +
             (in.optional ? "none" : "required") + " | " + std::string(in.doc) + " |\n";
    }
    for (const AttrField& f : op.attrs->fields()) {
      out += "| `" + std::string(f.name) + "` | " + kind_text(f) + " | " + default_text(op, f) + " | " + f.doc + " |\n";
    }
    out += "\n";
  }
  out += "Runs: " + runs_text(op) + ". Gradient: " + gradient_text(op) + ".";
  if (!op.compose && !op.alias) {
    out += op.tolerance == 0 ? " Exact." : " Tolerance: " + number(op.tolerance) + ".";
  }
  return out + "\n\n";
}

}  // namespace

std::string reference_page() {
  std::map<std::string, std::vector<const OpDef*>> families;
  for (const OpDef* op : public_ops()) families[op->family].push_back(op);
  std::string out =
      "# Op reference\n\nWritten by `tessera_gen` from the op registry; do not edit. JavaScript names are shown; the "
      "C++ functions of "
      "`tessera/ops.h`\nhave the same arguments under snake_case names (`depthwiseConv2d` is `tsr::depthwise_conv2d`). "
      "A trailing `?` "
      "marks what may be left\nout. *Tolerance* is the largest error |got - want| / max(1, |want|) that a backend may "
      "show.\n\n";
  for (const auto& [family, ops] : families) {
    out += "- [" + family + "](#" + family + "):";
    for (const OpDef* op : ops) out += std::string(" `") + op->name + "`";
    out += "\n";
  }
  out += "\n";
  for (const auto& [family, ops] : families) {
    out += "## " + family + "\n\n";
    for (const OpDef* op : ops) out += section(*op);
  }
  return out;
}

}  // namespace tsr::gen
