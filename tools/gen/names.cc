// Names, defaults and text layout shared by the printers.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "gen.h"

namespace tsr::gen {
namespace {

const std::set<std::string_view> kCppKeywords = {"and",    "or",       "not",    "xor",      "if",  "while", "switch",
                                                 "case",   "default",  "double", "float",    "int", "bool",  "char",
                                                 "const",  "static",   "union",  "delete",   "new", "for",   "do",
                                                 "return", "register", "export", "template", "this"};
const std::set<std::string_view> kJsReserved = {
    "if",     "while",    "switch", "case",  "default", "delete", "new",   "for",    "do",   "return", "export",
    "import", "function", "in",     "var",   "let",     "const",  "with",  "this",   "void", "typeof", "class",
    "super",  "null",     "true",   "false", "enum",    "yield",  "await", "static", "try",  "throw"};

}  // namespace

std::vector<const OpDef*> public_ops() {
  std::vector<const OpDef*> out;
  for (const OpDef* op : all_ops()) {
    if (op->in_js) out.push_back(op);
  }
  return out;
}

std::string snake_case(std::string_view name) {
  std::string out;
  const auto upper = [&](size_t i) { return i < name.size() && std::isupper(static_cast<unsigned char>(name[i])); };
  const auto lower = [&](size_t i) { return i < name.size() && std::islower(static_cast<unsigned char>(name[i])); };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '.') {
      out += '_';
      continue;
    }
    // A word starts at a capital after a small letter or digit, and at the last capital of a run before a small letter.
    if (upper(i) && i > 0 && name[i - 1] != '.' && (!upper(i - 1) || lower(i + 1))) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (kCppKeywords.count(out)) out += '_';
  return out;
}

std::string js_name(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '.', '_');
  if (kJsReserved.count(out)) out += '_';
  return out;
}

AttrValue default_of(const OpDef& op, const AttrField& field) { return field.get(op.attrs->make().get()); }

std::string number(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), v).ptr;
  return {text.data(), end};
}

int params_without_default(const OpDef& op) {
  int index = 0;
  int last = 0;
  for (const InputDef& in : op.inputs) {
    ++index;
    if (!in.optional) last = index;
  }
  for (const AttrField& f : op.attrs->fields()) {
    ++index;
    if (f.required) last = index;
  }
  return last;
}

std::string wrap(std::string_view text, std::string_view prefix, size_t width) {
  std::string out;
  std::string line(prefix);
  bool empty = true;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = prefix;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  if (!empty) out += line + "\n";
  return out;
}

}  // namespace tsr::gen
