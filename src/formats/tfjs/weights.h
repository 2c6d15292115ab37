// WeightSink: takes the bytes of a model's shards in order, in pieces of any size, and writes them straight into the
// tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/storage.h"
#include "formats/tfjs/manifest.h"

namespace tsr::formats {

struct Weight {
  TensorType type;
  Ref<Storage> storage;
};
using Weights = std::unordered_map<std::string, Weight>;

/// Memory: each weight is allocated when its first byte arrives, so a manifest that promises more than comes costs
/// nothing. Quantised float32 weights stay as they are stored (Storage::form). Stored elements that are decoded (int32) pass through
/// a few bytes of carry, never through a second copy.
class WeightSink {
 public:
  explicit WeightSink(const Manifest& manifest) : manifest_(manifest) {}

  /// Throws kBadFile when there is more than the manifest declares, or a string's length does not fit.
  void add(std::span<const std::byte> bytes);
  /// Where the next bytes go as they are: the rest of the open weight. Empty when they are to be converted or checked, or nothing is
  /// missing: add() them then. Holds until the next call.
  std::span<std::byte> room();
  /// The first n bytes of room() are written.
  void filled(size_t n);
  /// Bytes taken so far.
  int64_t received() const { return received_; }
  /// Throws kBadFile, with the bytes wanted and found, unless everything came. Leaves the sink empty.
  Weights finish();

 private:
  void begin();
  void end();
  std::span<const std::byte> feed(std::span<const std::byte> bytes);
  bool kept_as_stored() const;
  size_t raw_bytes_written() const;
  std::span<const std::byte> feed_strings(std::span<const std::byte> bytes);
  void skip_empty();

  const Manifest& manifest_;
  Weights done_;
  size_t current_ = 0;       // index of the weight being filled
  bool open_ = false;        // its storage exists
  Weight weight_;            // ... namely this,
  Ref<HostBuffer> bytes_;    // with these bytes (null for strings)
  int64_t elements_ = 0;     // of it written so far
  std::byte carry_[8] = {};  // the first bytes of an element that a piece cut apart
  size_t carried_ = 0;
  std::vector<std::string> strings_;
  int64_t string_left_ = -1;  // bytes of the open string still to come; -1: its length comes first
  int64_t received_ = 0;
};

}  // namespace tsr::formats
