// Attributes: one plain struct per op, described once by member pointers, held immutable behind a type-erased handle.
//
//   struct SoftmaxAttrs {
//     int64_t axis = -1;
//     static void describe(AttrSchema& s) { s.field<&SoftmaxAttrs::axis>("axis", "the axis that sums to 1"); }
//   };
//
// From that description come defaults, checking, hashing, the words of the C ABI and the generated C++, TypeScript and docs.
// A field's type decides its kind: bool, int64_t, double, std::vector<int64_t>, std::vector<double>, DType, std::string, or an
// enum class with the list of its names. Fields are *structural* unless `runtime()` follows: runtime fields (pad values, seeds,
// alpha) are parameters of a compiled plan and stay out of its key.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "core/dtype.h"
#include "core/doc_text.h"
#include "tessera/attr_value.h"

namespace tsr {

enum class AttrKind : uint8_t { kBool, kInt, kFloat, kInts, kFloats, kDType, kString, kEnum };

struct AttrField {
  const char* name = "";  ///< camelCase, TensorFlow.js's name where it has one
  const char* doc = "";
  AttrKind kind = AttrKind::kInt;
  bool runtime = false;
  bool required = false;
  std::vector<const char*> choices;  ///< kEnum: the names, in the order of the enum's values 0, 1, 2...
  size_t offset = 0;                 ///< of the member within the struct
  size_t size = 0;                   ///< of the member: enums are stored as integers of 1, 4 or 8 bytes

  /// The member's value in the struct at `attrs`; enums come as int64_t.
  AttrValue get(const void* attrs) const;
  /// Sets it; the value already has the field's kind.
  void put(void* attrs, const AttrValue& value) const;
};

class AttrSchema {
 public:
  /// Adds the field that member pointer M names.
  template <auto M>
  AttrSchema& field(const char* name, DocText doc, std::vector<const char*> choices = {}) {
    using Traits = MemberOf<decltype(M)>;
    using T = typename Traits::Type;
    typename Traits::Struct object{};
    const auto offset = reinterpret_cast<const char*>(&(object.*M)) - reinterpret_cast<const char*>(&object);
    return add({name, doc, kind_of<T>(), false, false, std::move(choices), static_cast<size_t>(offset), sizeof(T)});
  }
  /// The field just added is a parameter of a plan, not part of its key.
  AttrSchema& runtime() {
    fields_.back().runtime = true;
    return *this;
  }
  /// The field just added has no default.
  AttrSchema& required() {
    fields_.back().required = true;
    return *this;
  }

  std::span<const AttrField> fields() const { return fields_; }
  /// Index of the field, or -1.
  int find(std::string_view name) const;
  bool has_runtime() const;

  std::shared_ptr<void> make() const { return make_(); }
  std::shared_ptr<void> clone(const void* attrs) const { return clone_(attrs); }

  template <typename A>
  static const AttrSchema& of() {
    static const AttrSchema schema = [] {
      AttrSchema s;
      s.make_ = []() -> std::shared_ptr<void> { return std::make_shared<A>(); };
      s.clone_ = [](const void* p) -> std::shared_ptr<void> { return std::make_shared<A>(*static_cast<const A*>(p)); };
      A::describe(s);
      return s;
    }();
    return schema;
  }

 private:
  AttrSchema& add(AttrField field);

  template <typename M>
  struct MemberOf;
  template <typename S, typename T>
  struct MemberOf<T S::*> {
    using Struct = S;
    using Type = T;
  };
  template <typename T>
  static constexpr AttrKind kind_of() {
    if constexpr (std::is_same_v<T, bool>) return AttrKind::kBool;
    else if constexpr (std::is_same_v<T, int64_t>) return AttrKind::kInt;
    else if constexpr (std::is_same_v<T, double>) return AttrKind::kFloat;
    else if constexpr (std::is_same_v<T, std::vector<int64_t>>) return AttrKind::kInts;
    else if constexpr (std::is_same_v<T, std::vector<double>>) return AttrKind::kFloats;
    else if constexpr (std::is_same_v<T, DType>) return AttrKind::kDType;
    else if constexpr (std::is_same_v<T, std::string>) return AttrKind::kString;
    else {
      static_assert(std::is_enum_v<T> && (sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8), "an attribute of this type is not supported");
      return AttrKind::kEnum;
    }
  }

  std::vector<AttrField> fields_;
  std::shared_ptr<void> (*make_)() = nullptr;
  std::shared_ptr<void> (*clone_)(const void*) = nullptr;
};

/// The attributes of an op that has none.
struct NoAttrs {
  static void describe(AttrSchema&) {}
};

/// An op's schema, described when first asked for: a program start describes those of the ops it uses, not all.
class AttrSchemaRef {
 public:
  using Get = const AttrSchema& (*)();
  constexpr AttrSchemaRef(Get get) : get_(get) {}  // NOLINT: `.attrs = &AttrSchema::of<SoftmaxAttrs>`
  const AttrSchema& operator*() const { return get_(); }
  const AttrSchema* operator->() const { return &get_(); }
  /// The op has no attributes; cheaper than to look.
  bool none() const { return get_ == &AttrSchema::of<NoAttrs>; }

 private:
  Get get_;
};

/// An immutable, shared attribute struct with its schema.
class Attrs {
 public:
  Attrs() : schema_(&AttrSchema::of<NoAttrs>()), data_(std::shared_ptr<const void>(), &kNone) {}  // allocates nothing
  template <typename A>
    requires(!std::is_same_v<A, Attrs>)
  Attrs(A value)  // NOLINT: an attribute struct is an Attrs
      : schema_(&AttrSchema::of<A>()), data_(std::make_shared<A>(std::move(value))) {}
  Attrs(const AttrSchema& schema, std::shared_ptr<const void> data) : schema_(&schema), data_(std::move(data)) {}

  template <typename A>
  const A& as() const {
    check(schema_ == &AttrSchema::of<A>(), "attributes read as another op's struct");
    return *static_cast<const A*>(data_.get());
  }
  const AttrSchema& schema() const { return *schema_; }
  const void* data() const { return data_.get(); }

  /// Values in the order of the schema.
  AttrValue get(int field) const { return schema_->fields()[static_cast<size_t>(field)].get(data_.get()); }
  /// A copy with one field replaced; throws "[op] attribute ..." when the value does not fit.
  Attrs with(const char* op, int field, const AttrValue& value) const;

  /// Hash and equality over structural fields only.
  uint64_t structural_hash() const;
  bool structural_equal(const Attrs& other) const;
  /// Equality over all fields.
  bool equal(const Attrs& other) const;

 private:
  static constexpr NoAttrs kNone{};
  const AttrSchema* schema_;
  std::shared_ptr<const void> data_;
};

/// Builds attributes from values in schema order (shorter lists leave defaults); throws "[op] attribute 'axis' ..." on a value
/// of the wrong kind, an unknown enum name or a missing required one.
Attrs make_attrs(const char* op, const AttrSchema& schema, std::span<const AttrValue> values);
/// The same from (name, value) pairs.
Attrs make_attrs(const char* op, const AttrSchema& schema,
                 std::span<const std::pair<std::string, AttrValue>> values);
/// The words of the C ABI: each field in order is one double (bool, int, float, dtype, enum), or a count followed by that many
/// doubles (lists; a string's bytes). NaN as a field's only word (or as a count) means "default".
Attrs decode_attrs(const char* op, const AttrSchema& schema, std::span<const double> words);

}  // namespace tsr
