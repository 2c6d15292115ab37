// A line of progress on the terminal, shown only where somebody watches and only when the work takes long.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace tsr::cli {

class ProgressLine {
 public:
  explicit ProgressLine(std::string what) : what_(std::move(what)) {}
  ~ProgressLine() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  void show(int64_t done, int64_t total) {
    const auto now = std::chrono::steady_clock::now();
    // Half a second without a sign is what people begin to notice; ten updates a second look smooth.
    if (!isatty(2) || now - begin_ < std::chrono::milliseconds(500) || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    std::fprintf(stderr, "\r%s: %.1f of %.1f MB\033[K", what_.c_str(), static_cast<double>(done) / 1e6, static_cast<double>(total) / 1e6);
  }

 private:
  std::string what_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
  bool shown_ = false;
};

}  // namespace tsr::cli
