#include "capi/tensors.h"

#include <cstring>

#include "capi/errors.h"
#include "core/tensor_impl.h"
#include "runtime/engine.h"

namespace tsr::capi {
namespace {

// 4 million tensors alive at a time; 255 generations a slot, reused in turn through at least 4096 free slots, so that a stale
// handle means something else only after a million further handles.
constexpr HandleLayout kTensorHandles{"tensor", 22, 8, 0, 4096};

const Storage* storage_of(const Tensor& t) { return t.impl()->storage.get(); }

}  // namespace

void write_info(const TensorType& type, int32_t* info) {
  info[0] = static_cast<int32_t>(type.dtype);
  info[1] = type.shape.rank();
  for (int i = 0; i < type.shape.rank(); ++i) info[2 + i] = static_cast<int32_t>(type.shape[i]);
}

Tensors& Tensors::get() {
  static Tensors* const tensors = new Tensors;  // never destroyed: the host may hold handles until the process ends
  return *tensors;
}

Tensors::Tensors() : table_(kTensorHandles) {}

tsr_tensor Tensors::insert(Entry entry) {
  check(entry.value.defined(), "a handle for no tensor");
  const Storage* s = storage_of(entry.value);
  const tsr_tensor handle = table_.add(std::move(entry));
  ledger_.add(s);
  return handle;
}

tsr_tensor Tensors::add(Tensor value) {
  Entry entry;
  entry.value = std::move(value);
  const tsr_tensor handle = insert(std::move(entry));
  if (!scopes_.empty()) scopes_.back().push_back(handle);
  return handle;
}

int Tensors::add_all(std::vector<Tensor> values, tsr_tensor* out, int max) {
  require(values.size() <= static_cast<size_t>(max), "the call has ", values.size(), " outputs, but there is room for ", max);
  size_t made = 0;
  try {
    for (Tensor& t : values) {
      out[made] = add(std::move(t));
      ++made;
    }
  } catch (...) {
    while (made > 0) dispose(out[--made]);
    throw;
  }
  return static_cast<int>(made);
}

const Tensor& Tensors::value(tsr_tensor t) { return table_.get(t).value; }

const Tensor& Tensors::value(tsr_tensor t, const char* op, const char* name) {
  const Entry* e = table_.find(t);
  if (!e) fail(ErrorCode::kDisposed, "[", op, "] ", name, ": the tensor was disposed of, or never existed");
  return e->value;
}

std::vector<Tensor> Tensors::values(const tsr_tensor* handles, int n, const char* what) {
  require(n >= 0 && (n == 0 || handles != nullptr), what, ": ", n, " tensors at a null pointer");
  std::vector<Tensor> out;
  out.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) out.push_back(value(handles[i], what, str("tensor ", i).c_str()));
  return out;
}

void Tensors::dispose(tsr_tensor t) {
  Entry* e = table_.find(t);
  if (!e) return;
  ledger_.remove(storage_of(e->value));
  const Entry ended = table_.remove(t);  // the value goes when this does: last, when the table is consistent again
}

void Tensors::keep(tsr_tensor t) { table_.get(t).kept = true; }

tsr_tensor Tensors::add_variable(Tensor initial) {
  Entry entry;
  entry.value = std::move(initial);
  entry.variable = true;
  return insert(std::move(entry));
}

void Tensors::assign(tsr_tensor t, Tensor value) {
  Entry& e = table_.get(t);
  require(e.variable, "[assign] the tensor assigned to is not a variable");
  require(value.type() == e.value.type(), "[assign] the variable is ", e.value.type(), ", but the value is ", value.type());
  ledger_.add(storage_of(value));
  ledger_.remove(storage_of(e.value));
  std::swap(e.value, value);
}

void Tensors::begin_scope() {
  scopes_.emplace_back();
  try {
    Engine::get().begin_scope();
  } catch (...) {
    scopes_.pop_back();
    throw;
  }
}

void Tensors::end_scope(std::span<const tsr_tensor> results) {
  require(!scopes_.empty(), "[scope] no scope is open");
  const std::vector<tsr_tensor> made = std::move(scopes_.back());
  scopes_.pop_back();
  for (const tsr_tensor t : results) {
    if (Entry* e = table_.find(t)) e->result = true;
  }
  for (const tsr_tensor t : made) {
    Entry* e = table_.find(t);
    if (!e || e->kept || e->variable) continue;
    if (!e->result) {
      dispose(t);
    } else if (!scopes_.empty()) {
      scopes_.back().push_back(t);
    }
  }
  for (const tsr_tensor t : results) {
    if (Entry* e = table_.find(t)) e->result = false;
  }
  // After the handles: what nobody holds any more need not be computed.
  Engine::get().end_scope();
}

double Tensors::data_id(tsr_tensor t) { return ledger_.id(storage_of(value(t))); }

}  // namespace tsr::capi

using tsr::capi::guard;
using tsr::capi::Tensors;

namespace {

tsr::Shape shape_of(const int32_t* dims, int rank) {
  tsr::require(rank >= 0 && rank <= tsr::kMaxRank, "[tensor] rank must be 0 to ", tsr::kMaxRank, ", got ", rank);
  tsr::require(rank == 0 || dims != nullptr, "[tensor] dims is a null pointer");
  tsr::Shape shape;
  for (int i = 0; i < rank; ++i) {
    tsr::require(dims[i] >= 0, "[tensor] dimension ", i, " is negative: ", dims[i]);
    shape.push_back(dims[i]);
  }
  return shape;
}

}  // namespace

extern "C" {

tsr_tensor tsr_tensor_new(int dtype, const int32_t* dims, int rank, const void* data, size_t bytes) {
  return guard(TSR_NONE, [&] {
    tsr::require(dtype >= 0 && dtype <= TSR_UINT16 && dtype != TSR_STRING, "[tensor] dtype ", dtype,
                 " does not exist or is string (see tsr_tensor_new_strings)");
    tsr::require(bytes == 0 || data != nullptr, "[tensor] data is a null pointer");
    return Tensors::get().add(tsr::Tensor::from_bytes({static_cast<const std::byte*>(data), bytes},
                                                      static_cast<tsr::DType>(dtype), shape_of(dims, rank)));
  });
}

tsr_tensor tsr_tensor_new_strings(const int32_t* dims, int rank, const char* bytes, const int32_t* lengths) {
  return guard(TSR_NONE, [&] {
    const tsr::Shape shape = shape_of(dims, rank);
    const int64_t n = shape.size();
    tsr::require(n == 0 || lengths != nullptr, "[tensor] lengths is a null pointer");
    std::vector<std::string> strings;
    strings.reserve(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      tsr::require(lengths[i] >= 0, "[tensor] the length of string ", i, " is negative");
      tsr::require(lengths[i] == 0 || bytes != nullptr, "[tensor] bytes is a null pointer");
      strings.emplace_back(lengths[i] ? std::string(bytes, static_cast<size_t>(lengths[i])) : std::string());
      bytes += lengths[i];
    }
    return Tensors::get().add(tsr::Tensor::from_strings(std::move(strings), shape));
  });
}

int tsr_tensor_info(tsr_tensor t, int32_t* info) {
  return guard(-1, [&] {
    tsr::capi::write_info(Tensors::get().value(t).type(), info);
    return 0;
  });
}

double tsr_data_id(tsr_tensor t) {
  return guard(-1.0, [&] { return Tensors::get().data_id(t); });
}

tsr_tensor tsr_clone(tsr_tensor t) {
  return guard(TSR_NONE, [&] { return Tensors::get().add(tsr::Tensor(Tensors::get().value(t))); });
}

void tsr_dispose(tsr_tensor t) {
  guard(0, [&] {
    Tensors::get().dispose(t);
    return 0;
  });
}

int tsr_is_alive(tsr_tensor t) { return Tensors::get().alive(t) ? 1 : 0; }

int tsr_keep(tsr_tensor t) {
  return guard(-1, [&] {
    Tensors::get().keep(t);
    return 0;
  });
}

int tsr_scope_begin(void) {
  return guard(-1, [&] {
    Tensors::get().begin_scope();
    return 0;
  });
}

int tsr_scope_end(const tsr_tensor* results, int num_results) {
  return guard(-1, [&] {
    tsr::require(num_results >= 0 && (num_results == 0 || results != nullptr), "[scope] ", num_results,
                 " results at a null pointer");
    Tensors::get().end_scope({results, static_cast<size_t>(num_results)});
    return 0;
  });
}

tsr_tensor tsr_variable_new(tsr_tensor initial) {
  return guard(TSR_NONE, [&] { return Tensors::get().add_variable(Tensors::get().value(initial)); });
}

int tsr_variable_assign(tsr_tensor variable, tsr_tensor value) {
  return guard(-1, [&] {
    Tensors::get().assign(variable, Tensors::get().value(value, "assign", "value"));
    return 0;
  });
}

}  // extern "C"
