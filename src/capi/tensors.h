// Tensors: the tensor handles of the C ABI, with the scopes that dispose of them. RAII ends here: a handle lives until it is
// disposed of or its scope ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capi/handles.h"
#include "capi/ledger.h"
#include "tessera/tensor.h"
#include "tessera/tessera.h"

namespace tsr::capi {

/// The dtype, the rank and the dimensions, as tsr_tensor_info tells them.
void write_info(const TensorType& type, int32_t* info);

class Tensors {
 public:
  static Tensors& get();

  /// A new handle, which belongs to the innermost scope.
  tsr_tensor add(Tensor value);
  /// New handles for all, or none when that fails; writes them to `out`. Throws when there are more than `max`.
  int add_all(std::vector<Tensor> values, tsr_tensor* out, int max);
  /// The value now: for a variable the one last assigned. Throws kDisposed.
  const Tensor& value(tsr_tensor t);
  /// The same, with "[op] name ..." in the error.
  const Tensor& value(tsr_tensor t, const char* op, const char* name);
  /// The values of many.
  std::vector<Tensor> values(const tsr_tensor* handles, int n, const char* what);
  bool alive(tsr_tensor t) { return table_.find(t) != nullptr; }
  void dispose(tsr_tensor t);
  void keep(tsr_tensor t);

  /// A handle whose value can be replaced; no scope disposes of it.
  tsr_tensor add_variable(Tensor initial);
  /// Throws kInvalidArgument when `t` is no variable, or shape or dtype differ.
  void assign(tsr_tensor t, Tensor value);

  void begin_scope();
  /// Disposes of what the innermost scope made, but for kept handles, variables and `results`, which pass to the scope around.
  void end_scope(std::span<const tsr_tensor> results);
  size_t scope_depth() const { return scopes_.size(); }

  size_t count() const { return table_.size(); }
  const Ledger& ledger() const { return ledger_; }
  double data_id(tsr_tensor t);

 private:
  struct Entry {
    Tensor value;
    bool kept = false;      ///< asked for by keep()
    bool variable = false;
    bool result = false;    ///< marked while its scope ends
  };
  Tensors();
  tsr_tensor insert(Entry entry);

  HandleTable<Entry> table_;
  Ledger ledger_;
  std::vector<std::vector<tsr_tensor>> scopes_;  ///< handles that each open scope made
};

}  // namespace tsr::capi
