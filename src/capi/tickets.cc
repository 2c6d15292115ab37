#include "capi/tickets.h"

#include <cstring>
#include <utility>

#include "capi/errors.h"
#include "capi/tensors.h"

namespace tsr::capi {
namespace {

// 65,535 tickets at a time (the host ends each when it has its data), 8191 generations. Tag bits tell them from other handles.
constexpr HandleLayout kTicketHandles{"ticket", 16, 13, 0x40000000u | 0x20000000u, 256};

using Table = HandleTable<std::unique_ptr<Ticket>>;

Table& table() {
  static Table* const t = new Table(kTicketHandles);
  return *t;
}

// What tsr_read_sync hands out lives here until the next read.
struct SyncRead {
  std::unique_ptr<ReadTask> task;
  std::string packed;
};
SyncRead& sync_read() {
  static SyncRead* const r = new SyncRead;
  return *r;
}

int poll(Ticket& t, double budget_ms) {
  if (t.done) return 1;
  if (t.failure) throw Error(*t.failure);
  try {
    switch (Engine::get().poll(t.task(), budget_ms)) {
      case Progress::kMore: return 0;
      case Progress::kWaiting: return 2;
      case Progress::kDone: break;
    }
  } catch (const Error& e) {
    t.failure = std::make_unique<Error>(e);
    throw;
  } catch (const std::exception& e) {
    t.failure = std::make_unique<Error>(ErrorCode::kInternal, str("internal fault: ", e.what()));
    throw;
  }
  t.done = true;
  return 1;
}

}  // namespace

tsr_ticket add_ticket(std::unique_ptr<Ticket> ticket) { return table().add(std::move(ticket)); }

Ticket& ticket(tsr_ticket t) { return *table().get(t); }

std::span<const std::byte> result_bytes(const ReadTask& task, std::string& packed) {
  static const std::byte kNothing{};
  std::span<const std::byte> bytes = task.bytes();
  if (task.type().dtype == DType::kString) {
    packed.clear();
    for (const std::string& s : task.strings()) {
      require(s.size() <= INT32_MAX, "a string of ", s.size(), " bytes is too long to be read");
      const int32_t n = static_cast<int32_t>(s.size());
      packed.append(reinterpret_cast<const char*>(&n), sizeof n);
    }
    for (const std::string& s : task.strings()) packed += s;
    bytes = std::as_bytes(std::span<const char>(packed));
  }
  if (bytes.data() == nullptr) return {&kNothing, 0};
  return bytes;
}

}  // namespace tsr::capi

using tsr::capi::guard;
using tsr::capi::Tensors;
using tsr::capi::Ticket;

extern "C" {

tsr_ticket tsr_read_begin(tsr_tensor t) {
  return guard(TSR_NONE, [&] {
    auto ticket = std::make_unique<Ticket>();
    ticket->read = tsr::Engine::get().start_read(Tensors::get().value(t));
    return tsr::capi::add_ticket(std::move(ticket));
  });
}

int tsr_poll(tsr_ticket ticket, double budget_ms) {
  return guard(-1, [&] { return tsr::capi::poll(tsr::capi::ticket(ticket), budget_ms); });
}

const void* tsr_read_result(tsr_ticket ticket, size_t* bytes) {
  return guard(static_cast<const void*>(nullptr), [&]() -> const void* {
    Ticket& t = tsr::capi::ticket(ticket);
    tsr::require(t.read != nullptr, "[read] the ticket is a model run: see tsr_model_result");
    tsr::require(t.done, "[read] the ticket is not done yet: poll it until it says so");
    const auto result = tsr::capi::result_bytes(*t.read, t.packed);
    *bytes = result.size();
    return result.data();
  });
}

void tsr_ticket_end(tsr_ticket ticket) {
  guard(0, [&] {
    tsr::capi::table().remove(ticket);
    return 0;
  });
}

const void* tsr_read_sync(tsr_tensor t, size_t* bytes) {
  return guard(static_cast<const void*>(nullptr), [&]() -> const void* {
    tsr::Engine& engine = tsr::Engine::get();
    auto& last = tsr::capi::sync_read();
    const tsr::Tensor value = Tensors::get().value(t);
    last.task.reset();  // what the last read held may be needed for this one
    auto task = engine.start_read(value);
    engine.wait(*task);
    last.task = std::move(task);
    const auto result = tsr::capi::result_bytes(*last.task, last.packed);
    *bytes = result.size();
    return result.data();
  });
}

int tsr_flush(void) {
  return guard(-1, [&] {
    tsr::Engine::get().flush();
    return 0;
  });
}

}  // extern "C"
