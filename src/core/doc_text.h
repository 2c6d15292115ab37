// DocText: a sentence of documentation in a definition. Only programs that print it (the generator of headers and pages) hold it:
// WebAssembly modules drop the text at compile time, because every byte of them is downloaded.
#pragma once

namespace tsr {

class DocText {
 public:
  consteval DocText() = default;
  consteval DocText(const char* text)  // NOLINT: a literal is a documentation text
#if defined(__EMSCRIPTEN__)
  {
    (void)text;
  }
#else
      : text_(text) {
  }
#endif
  constexpr operator const char*() const { return text_; }  // NOLINT

 private:
  const char* text_ = "";
};

}  // namespace tsr
