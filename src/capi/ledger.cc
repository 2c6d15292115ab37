#include "capi/ledger.h"

namespace tsr::capi {

void Ledger::add(const Storage* s) {
  if (s->ledger.handles++ > 0) return;
  s->ledger.id = next_id_++;
  ++buffers_;
  if (s->dtype() == DType::kString) {
    strings_.insert(s);
  } else {
    fixed_bytes_ += static_cast<int64_t>(s->logical_bytes());
  }
}

void Ledger::remove(const Storage* s) {
  if (--s->ledger.handles > 0) return;
  --buffers_;
  if (s->dtype() == DType::kString) {
    strings_.erase(s);
  } else {
    fixed_bytes_ -= static_cast<int64_t>(s->logical_bytes());
  }
}

double Ledger::id(const Storage* s) const { return s->ledger.handles > 0 ? s->ledger.id : 0; }

int64_t Ledger::bytes() const {
  int64_t total = fixed_bytes_;
  for (const Storage* s : strings_) total += static_cast<int64_t>(s->logical_bytes());
  return total;
}

}  // namespace tsr::capi
