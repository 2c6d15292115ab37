// Tickets: work that the host advances in slices, either a tensor being read or a model being run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "capi/handles.h"
#include "runtime/engine.h"
#include "tessera/tessera.h"

namespace tsr::capi {

struct Ticket {
  std::unique_ptr<ReadTask> read;  ///< one of the two is set
  std::unique_ptr<ModelTask> run;
  bool done = false;
  std::unique_ptr<Error> failure;  ///< set when it failed: every later poll says so again
  std::string packed;              ///< a string tensor's lengths and bytes, made on demand

  Task& task() { return read ? static_cast<Task&>(*read) : static_cast<Task&>(*run); }
};

tsr_ticket add_ticket(std::unique_ptr<Ticket> ticket);
/// Throws kDisposed.
Ticket& ticket(tsr_ticket t);

/// The bytes of a finished read as tsr_read_result gives them. `packed` holds those of strings. Never a null pointer.
std::span<const std::byte> result_bytes(const ReadTask& task, std::string& packed);

}  // namespace tsr::capi
