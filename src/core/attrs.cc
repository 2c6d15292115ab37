#include "core/attrs.h"

#include <cmath>
#include <cstring>

#include "base/hash.h"

namespace tsr {
namespace {

const char* kind_name(AttrKind k) {
  switch (k) {
    case AttrKind::kBool: return "a boolean";
    case AttrKind::kInt: return "an integer";
    case AttrKind::kFloat: return "a number";
    case AttrKind::kInts: return "a list of integers";
    case AttrKind::kFloats: return "a list of numbers";
    case AttrKind::kDType: return "a dtype";
    case AttrKind::kString: return "a string";
    case AttrKind::kEnum: return "one of its names";
  }
  return "?";
}

bool is_integer(double v) { return std::isfinite(v) && v == std::trunc(v) && std::fabs(v) < 9.1e18; }

// The value in the field's own kind, or monostate when it does not fit.
AttrValue convert(const AttrField& f, const AttrValue& v) {
  const auto as_int = [&]() -> AttrValue {
    if (const auto* i = std::get_if<int64_t>(&v)) return *i;
    if (const auto* b = std::get_if<bool>(&v)) return static_cast<int64_t>(*b);
    if (const auto* d = std::get_if<double>(&v); d && is_integer(*d)) return static_cast<int64_t>(*d);
    return {};
  };
  switch (f.kind) {
    case AttrKind::kBool: {
      if (std::holds_alternative<bool>(v)) return v;
      const AttrValue i = as_int();
      if (const auto* n = std::get_if<int64_t>(&i)) return *n != 0;
      return {};
    }
    case AttrKind::kInt: return as_int();
    case AttrKind::kFloat: {
      if (std::holds_alternative<double>(v)) return v;
      const AttrValue i = as_int();
      if (const auto* n = std::get_if<int64_t>(&i)) return static_cast<double>(*n);
      return {};
    }
    case AttrKind::kInts: {
      if (std::holds_alternative<std::vector<int64_t>>(v)) return v;
      if (const auto* list = std::get_if<std::vector<double>>(&v)) {
        std::vector<int64_t> out;
        for (double d : *list) {
          if (!is_integer(d)) return {};
          out.push_back(static_cast<int64_t>(d));
        }
        return out;
      }
      const AttrValue i = as_int();
      if (const auto* n = std::get_if<int64_t>(&i)) return std::vector<int64_t>{*n};
      return {};
    }
    case AttrKind::kFloats: {
      if (std::holds_alternative<std::vector<double>>(v)) return v;
      if (const auto* list = std::get_if<std::vector<int64_t>>(&v)) return std::vector<double>(list->begin(), list->end());
      if (const auto* d = std::get_if<double>(&v)) return std::vector<double>{*d};
      return {};
    }
    case AttrKind::kDType: {
      if (std::holds_alternative<DType>(v)) return v;
      if (const auto* s = std::get_if<std::string>(&v)) return dtype_from_name(*s);
      const AttrValue i = as_int();
      if (const auto* n = std::get_if<int64_t>(&i); n && *n >= 0 && *n <= static_cast<int64_t>(DType::kUint16)) {
        return static_cast<DType>(*n);
      }
      return {};
    }
    case AttrKind::kString: return std::holds_alternative<std::string>(v) ? v : AttrValue{};
    case AttrKind::kEnum: {
      if (const auto* s = std::get_if<std::string>(&v)) {
        for (size_t k = 0; k < f.choices.size(); ++k) {
          if (*s == f.choices[k]) return static_cast<int64_t>(k);
        }
        return {};
      }
      const AttrValue i = as_int();
      if (const auto* n = std::get_if<int64_t>(&i); n && *n >= 0 && *n < static_cast<int64_t>(f.choices.size())) return *n;
      return {};
    }
  }
  return {};
}

void put_checked(const char* op, const AttrField& f, void* data, const AttrValue& value) {
  const AttrValue v = convert(f, value);
  if (std::holds_alternative<std::monostate>(v)) {
    std::string wanted = kind_name(f.kind);
    if (f.kind == AttrKind::kEnum) {
      wanted = "one of";
      for (const char* c : f.choices) wanted += std::string(" '") + c + "'";
    }
    std::string found = "another kind of value";
    if (const auto* s = std::get_if<std::string>(&value)) found = "'" + *s + "'";
    if (const auto* d = std::get_if<double>(&value)) found = str(*d);
    if (const auto* i = std::get_if<int64_t>(&value)) found = str(*i);
    fail(ErrorCode::kInvalidArgument, "[", op, "] attribute '", f.name, "' must be ", wanted, ", got ", found);
  }
  f.put(data, v);
}

template <typename T>
const T& member(const void* attrs, size_t offset) {
  return *reinterpret_cast<const T*>(static_cast<const char*>(attrs) + offset);
}
template <typename T>
T& member(void* attrs, size_t offset) {
  return *reinterpret_cast<T*>(static_cast<char*>(attrs) + offset);
}

}  // namespace

AttrValue AttrField::get(const void* attrs) const {
  switch (kind) {
    case AttrKind::kBool: return member<bool>(attrs, offset);
    case AttrKind::kInt: return member<int64_t>(attrs, offset);
    case AttrKind::kFloat: return member<double>(attrs, offset);
    case AttrKind::kInts: return member<std::vector<int64_t>>(attrs, offset);
    case AttrKind::kFloats: return member<std::vector<double>>(attrs, offset);
    case AttrKind::kDType: return member<DType>(attrs, offset);
    case AttrKind::kString: return member<std::string>(attrs, offset);
    case AttrKind::kEnum: {
      // Little-endian, as every machine that runs this is; enumerators are not negative.
      uint64_t value = 0;
      std::memcpy(&value, static_cast<const char*>(attrs) + offset, size);
      return static_cast<int64_t>(value);
    }
  }
  return {};
}

void AttrField::put(void* attrs, const AttrValue& value) const {
  switch (kind) {
    case AttrKind::kBool: member<bool>(attrs, offset) = std::get<bool>(value); break;
    case AttrKind::kInt: member<int64_t>(attrs, offset) = std::get<int64_t>(value); break;
    case AttrKind::kFloat: member<double>(attrs, offset) = std::get<double>(value); break;
    case AttrKind::kInts: member<std::vector<int64_t>>(attrs, offset) = std::get<std::vector<int64_t>>(value); break;
    case AttrKind::kFloats: member<std::vector<double>>(attrs, offset) = std::get<std::vector<double>>(value); break;
    case AttrKind::kDType: member<DType>(attrs, offset) = std::get<DType>(value); break;
    case AttrKind::kString: member<std::string>(attrs, offset) = std::get<std::string>(value); break;
    case AttrKind::kEnum: {
      const int64_t number = std::get<int64_t>(value);
      std::memcpy(static_cast<char*>(attrs) + offset, &number, size);
      break;
    }
  }
}

AttrSchema& AttrSchema::add(AttrField field) {
  fields_.push_back(std::move(field));
  return *this;
}

int AttrSchema::find(std::string_view name) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (name == fields_[i].name) return static_cast<int>(i);
  }
  return -1;
}

bool AttrSchema::has_runtime() const {
  for (const AttrField& f : fields_) {
    if (f.runtime) return true;
  }
  return false;
}

Attrs Attrs::with(const char* op, int field, const AttrValue& value) const {
  std::shared_ptr<void> copy = schema_->clone(data_.get());
  put_checked(op, schema_->fields()[static_cast<size_t>(field)], copy.get(), value);
  return Attrs(*schema_, std::move(copy));
}

uint64_t Attrs::structural_hash() const {
  Hasher h;
  for (const AttrField& f : schema_->fields()) {
    if (f.runtime) continue;
    const AttrValue v = f.get(data_.get());
    h.add(v.index());
    std::visit(
        [&h](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<double>>) {
            h.add(x.size());
            h.bytes(x.data(), x.size() * sizeof(x[0]));
          } else if constexpr (std::is_same_v<T, std::string>) {
            h.add(x.size());
            h.bytes(x.data(), x.size());
          } else if constexpr (!std::is_same_v<T, std::monostate>) {
            h.bytes(&x, sizeof(x));
          }
        },
        v);
  }
  return h.value();
}

bool Attrs::structural_equal(const Attrs& other) const {
  if (schema_ != other.schema_) return false;
  if (data_ == other.data_) return true;
  for (const AttrField& f : schema_->fields()) {
    if (!f.runtime && f.get(data_.get()) != f.get(other.data_.get())) return false;
  }
  return true;
}

bool Attrs::equal(const Attrs& other) const {
  if (schema_ != other.schema_) return false;
  if (data_ == other.data_) return true;
  for (const AttrField& f : schema_->fields()) {
    if (f.get(data_.get()) != f.get(other.data_.get())) return false;
  }
  return true;
}

Attrs make_attrs(const char* op, const AttrSchema& schema, std::span<const AttrValue> values) {
  const auto fields = schema.fields();
  require(values.size() <= fields.size(), "[", op, "] takes ", fields.size(), " attributes, got ", values.size());
  std::shared_ptr<void> data = schema.make();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i >= values.size() || std::holds_alternative<std::monostate>(values[i])) {
      require(!fields[i].required, "[", op, "] attribute '", fields[i].name, "' is missing");
      continue;
    }
    put_checked(op, fields[i], data.get(), values[i]);
  }
  return Attrs(schema, std::move(data));
}

Attrs make_attrs(const char* op, const AttrSchema& schema,
                 std::span<const std::pair<std::string, AttrValue>> values) {
  std::vector<AttrValue> ordered(schema.fields().size());
  for (const auto& [name, value] : values) {
    const int i = schema.find(name);
    require(i >= 0, "[", op, "] has no attribute '", name, "'");
    ordered[static_cast<size_t>(i)] = value;
  }
  return make_attrs(op, schema, ordered);
}

Attrs decode_attrs(const char* op, const AttrSchema& schema, std::span<const double> words) {
  std::vector<AttrValue> values;
  size_t at = 0;
  for (const AttrField& f : schema.fields()) {
    if (at == words.size()) break;
    const double w = words[at++];
    const bool list = f.kind == AttrKind::kInts || f.kind == AttrKind::kFloats || f.kind == AttrKind::kString;
    if (!list) {
      // A float may well be NaN (a fill value): only the other kinds read NaN as "default".
      values.push_back(std::isnan(w) && f.kind != AttrKind::kFloat ? AttrValue{} : AttrValue{w});
      continue;
    }
    if (std::isnan(w)) {
      values.emplace_back();
      continue;
    }
    require(w >= 0 && w <= static_cast<double>(words.size() - at), "[", op, "] attribute '", f.name, "' claims ", w,
            " entries, but only ", words.size() - at, " words follow");
    const auto n = static_cast<size_t>(w);
    std::vector<double> entries(words.begin() + static_cast<std::ptrdiff_t>(at),
                                words.begin() + static_cast<std::ptrdiff_t>(at + n));
    at += n;
    if (f.kind == AttrKind::kString) {
      std::string s;
      for (double d : entries) s.push_back(static_cast<char>(static_cast<int>(d)));
      values.emplace_back(std::move(s));
    } else {
      values.emplace_back(std::move(entries));
    }
  }
  require(at == words.size(), "[", op, "] got ", words.size(), " attribute words, used ", at);
  return make_attrs(op, schema, values);
}

}  // namespace tsr
