// Ledger: which data buffers the live tensor handles refer to, for the exact numbers of memory(). It counts what a caller can
// reach, so it neither sees intermediates of the engine nor waits for anything to be computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "core/storage.h"

namespace tsr::capi {

class Ledger {
 public:
  /// One more handle refers to this storage.
  void add(const Storage* s);
  /// One handle less.
  void remove(const Storage* s);
  /// A number for the storage that no other storage gets while a handle refers to it, nor later. 0 when none refers to it.
  double id(const Storage* s) const;

  int64_t buffers() const { return buffers_; }
  /// Logical bytes; for strings the lengths known now.
  int64_t bytes() const;

 private:
  // Counts lie in the storages themselves (Storage::ledger): an op's result costs no allocation here.
  int64_t buffers_ = 0;
  int64_t fixed_bytes_ = 0;                    ///< of all storages but strings
  std::unordered_set<const Storage*> strings_;  ///< their bytes are only known when computed
  double next_id_ = 1;
};

}  // namespace tsr::capi
