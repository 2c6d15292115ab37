// Text: builds one string from parts, without the C++ streams, whose locales would be a tenth of a WebAssembly module.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tsr {

/// Appends what is printed into it: numbers in decimal (floating point with six significant digits, as streams do), bool as 1 or 0,
/// characters and strings as they are, and any type for which to_string(value) is found beside it (Shape, TensorType).
class Text {
 public:
  template <typename T>
  Text& operator<<(const T& part) {
    if constexpr (std::is_same_v<T, char>) {
      text_ += part;
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      text_ += std::string_view(part);
    } else if constexpr (std::unsigned_integral<T>) {
      text_ += std::to_string(static_cast<unsigned long long>(part));
    } else if constexpr (std::integral<T>) {
      text_ += std::to_string(static_cast<long long>(part));
    } else if constexpr (std::floating_point<T>) {
      append(static_cast<double>(part));
    } else {
      text_ += to_string(part);
    }
    return *this;
  }
  const std::string& str() const& { return text_; }
  std::string str() && { return std::move(text_); }

 private:
  void append(double number);
  std::string text_;
};

/// Joins anything that prints into one string: str("rank ", 4, " is too high").
template <typename... Parts>
std::string str(const Parts&... parts) {
  Text out;
  ((out << parts), ...);
  return std::move(out).str();
}

}  // namespace tsr
