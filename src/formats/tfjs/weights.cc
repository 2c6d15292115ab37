#include "formats/tfjs/weights.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tsr::formats {

void WeightSink::begin() {
  const WeightSpec& spec = manifest_.weights[current_];
  weight_.type = spec.type;
  weight_.storage = Ref<Storage>(new Storage(spec.type.dtype, spec.type.shape.size()));
  if (spec.type.dtype != DType::kString) {
    const size_t element = kept_as_stored() ? spec.codec.stored_size() : size_of(spec.type.dtype);
    bytes_ = Ref<HostBuffer>(new HostBuffer(static_cast<size_t>(spec.type.shape.size()) * element));
  }
  elements_ = 0;
  carried_ = 0;
  string_left_ = -1;
  strings_.clear();
  open_ = true;
}

void WeightSink::end() {
  const WeightSpec& spec = manifest_.weights[current_];
  if (spec.type.dtype == DType::kString) {
    weight_.storage->set_strings(std::move(strings_));
  } else if (spec.codec.keeps_form()) {
    weight_.storage->set_stored(spec.codec.form(), std::move(bytes_));
  } else {
    weight_.storage->set_host(std::move(bytes_));
  }
  weight_.storage->constant = true;
  done_[spec.name] = std::move(weight_);
  weight_ = {};
  open_ = false;
  ++current_;
}

void WeightSink::skip_empty() {
  while (current_ < manifest_.weights.size() && manifest_.weights[current_].type.shape.size() == 0) {
    begin();
    end();
  }
}

// The current weight lies in memory as in the file.
bool WeightSink::kept_as_stored() const {
  const WeightCodec& codec = manifest_.weights[current_].codec;
  return codec.kind == WeightCodec::Kind::kRaw || codec.keeps_form();
}

// Of the open weight, stored as it is: here an "element" may be cut anywhere, counted in bytes through carried_.
size_t WeightSink::raw_bytes_written() const {
  return static_cast<size_t>(elements_) * manifest_.weights[current_].codec.stored_size() + carried_;
}

std::span<std::byte> WeightSink::room() {
  skip_empty();
  if (current_ == manifest_.weights.size()) return {};
  const WeightSpec& spec = manifest_.weights[current_];
  if (!kept_as_stored() || spec.type.dtype == DType::kBool) return {};
  if (!open_) begin();
  const size_t at = raw_bytes_written();
  return {bytes_->data() + at, static_cast<size_t>(spec.bytes) - at};
}

void WeightSink::filled(size_t n) {
  const std::span<std::byte> place = room();
  check(n <= place.size(), "more weight bytes were written than there was room for");
  if (n == 0) return;
  const size_t stored = manifest_.weights[current_].codec.stored_size(), written = raw_bytes_written() + n;
  elements_ = static_cast<int64_t>(written / stored);
  carried_ = written % stored;
  received_ += static_cast<int64_t>(n);
  if (n == place.size()) end();
  skip_empty();
}

std::span<const std::byte> WeightSink::feed(std::span<const std::byte> bytes) {
  const WeightSpec& spec = manifest_.weights[current_];
  const size_t stored = spec.codec.stored_size();
  const int64_t total = spec.type.shape.size();
  std::byte* const out = bytes_->data();
  if (kept_as_stored()) {
    const size_t at = raw_bytes_written();
    const size_t n = std::min(bytes.size(), static_cast<size_t>(spec.bytes) - at);
    std::memcpy(out + at, bytes.data(), n);
    if (spec.type.dtype == DType::kBool) {
      for (size_t i = at; i < at + n; ++i) out[i] = out[i] == std::byte{0} ? std::byte{0} : std::byte{1};
    }
    elements_ = static_cast<int64_t>((at + n) / stored);
    carried_ = (at + n) % stored;
    return bytes.subspan(n);
  }
  const size_t wide = size_of(spec.type.dtype);
  if (carried_ > 0) {
    const size_t n = std::min(bytes.size(), stored - carried_);
    std::memcpy(carry_ + carried_, bytes.data(), n);
    carried_ += n;
    bytes = bytes.subspan(n);
    if (carried_ < stored) return bytes;
    spec.codec.decode(carry_, 1, out + static_cast<size_t>(elements_) * wide);
    ++elements_;
    carried_ = 0;
  }
  const size_t n = std::min(bytes.size() / stored, static_cast<size_t>(total - elements_));
  spec.codec.decode(bytes.data(), n, out + static_cast<size_t>(elements_) * wide);
  elements_ += static_cast<int64_t>(n);
  bytes = bytes.subspan(n * stored);
  if (elements_ < total) {
    carried_ = bytes.size();  // less than an element
    if (carried_ > 0) std::memcpy(carry_, bytes.data(), carried_);
    bytes = {};
  }
  return bytes;
}

// Each element is a little-endian uint32 length followed by that many bytes.
std::span<const std::byte> WeightSink::feed_strings(std::span<const std::byte> bytes) {
  const WeightSpec& spec = manifest_.weights[current_];
  while (elements_ < spec.type.shape.size()) {
    if (string_left_ < 0) {
      if (bytes.empty()) return bytes;
      const size_t n = std::min(bytes.size(), 4 - carried_);
      std::memcpy(carry_ + carried_, bytes.data(), n);
      carried_ += n;
      bytes = bytes.subspan(n);
      if (carried_ < 4) return bytes;
      uint32_t length;
      std::memcpy(&length, carry_, 4);
      carried_ = 0;
      string_left_ = length;
      strings_.emplace_back();
    }
    const size_t n = std::min(bytes.size(), static_cast<size_t>(string_left_));
    strings_.back().append(reinterpret_cast<const char*>(bytes.data()), n);
    string_left_ -= static_cast<int64_t>(n);
    bytes = bytes.subspan(n);
    if (string_left_ > 0) return bytes;
    string_left_ = -1;
    ++elements_;
  }
  return bytes;
}

void WeightSink::add(std::span<const std::byte> bytes) {
  const auto given = static_cast<int64_t>(bytes.size());
  if (manifest_.exact && given > manifest_.bytes - received_) {
    fail(ErrorCode::kBadFile, "the weight files are too long: the manifest declares ", manifest_.bytes,
         " bytes, found at least ", received_ + given);
  }
  received_ += given;
  skip_empty();
  while (!bytes.empty()) {
    if (current_ == manifest_.weights.size()) {
      fail(ErrorCode::kBadFile, "the weight files are too long: all weights are complete, but ", bytes.size(),
           " bytes or more are left");
    }
    if (!open_) begin();
    const bool strings = manifest_.weights[current_].codec.kind == WeightCodec::Kind::kStrings;
    bytes = strings ? feed_strings(bytes) : feed(bytes);
    if (elements_ == manifest_.weights[current_].type.shape.size()) end();
    skip_empty();
  }
}

Weights WeightSink::finish() {
  skip_empty();
  if (current_ < manifest_.weights.size()) {
    fail(ErrorCode::kBadFile, "the weight files are too short: the manifest declares ",
         manifest_.exact ? "" : "at least ", manifest_.bytes, " bytes, found ", received_, " (weight '",
         manifest_.weights[current_].name, "' is incomplete)");
  }
  current_ = 0;
  received_ = 0;
  return std::exchange(done_, {});
}

}  // namespace tsr::formats
