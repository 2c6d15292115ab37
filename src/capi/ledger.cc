#include "capi/ledger.h"

namespace tsr::capi {

void Ledger::add(const Storage* s) {
  Entry& e = entries_[s];
  if (e.handles++ > 0) return;
  e.id = next_id_++;
  if (s->dtype() == DType::kString) {
    ++strings_;
  } else {
    fixed_bytes_ += static_cast<int64_t>(s->logical_bytes());
  }
}

void Ledger::remove(const Storage* s) {
  const auto it = entries_.find(s);
  if (it == entries_.end() || --it->second.handles > 0) return;
  if (s->dtype() == DType::kString) {
    --strings_;
  } else {
    fixed_bytes_ -= static_cast<int64_t>(s->logical_bytes());
  }
  entries_.erase(it);
}

double Ledger::id(const Storage* s) const {
  const auto it = entries_.find(s);
  return it == entries_.end() ? 0 : it->second.id;
}

int64_t Ledger::bytes() const {
  int64_t total = fixed_bytes_;
  if (strings_ > 0) {
    for (const auto& [storage, entry] : entries_) {
      if (storage->dtype() == DType::kString) total += static_cast<int64_t>(storage->logical_bytes());
    }
  }
  return total;
}

}  // namespace tsr::capi
