// Models: loading by pieces, running by names.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/errors.h"
#include "capi/model_info.h"
#include "capi/strings.h"
#include "capi/tensors.h"
#include "capi/tickets.h"
#include "formats/tfjs/loader.h"
#include "runtime/engine.h"
#include "runtime/model.h"

namespace tsr::capi {
namespace {

// 4095 models at a time; tag bits tell them from other handles.
constexpr HandleLayout kModelHandles{"model", 12, 17, 0x40000000u, 64};

struct ModelEntry {
  std::unique_ptr<formats::TfjsLoader> loader;  ///< until finished
  Model model;                         ///< from then on
  double weight_bytes = 0;
};
using Table = HandleTable<std::unique_ptr<ModelEntry>>;

Table& table() {
  static Table* const t = new Table(kModelHandles);
  return *t;
}

ModelEntry& entry(tsr_model m) { return *table().get(m); }

const Model& finished(tsr_model m) {
  const ModelEntry& e = entry(m);
  require(e.model.defined(), "[model] the weights are not complete yet");
  return e.model;
}

// "a\nb" -> {"a", "b"}; "" -> {}.
std::vector<std::string> lines(const char* text) {
  std::vector<std::string> out;
  std::string_view rest(text ? text : "");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

tsr_ticket run(tsr_model m, const char* input_names, const tsr_tensor* inputs, int num_inputs, const char* output_names,
               bool async, tsr_tensor* outputs, int max_outputs, int* num_outputs) {
  const Model model = finished(m);
  const std::vector<std::string> names = lines(input_names);
  const std::vector<Tensor> values = Tensors::get().values(inputs, num_inputs, "model");
  require(names.size() == values.size(), "[model] ", names.size(), " input names for ", values.size(), " tensors");
  std::vector<std::pair<std::string, Tensor>> named;
  for (size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i], values[i]);
  const std::vector<std::string> wanted = lines(output_names);
  if (num_outputs) *num_outputs = 0;
  if (!async && !model.dynamic()) {
    const int n = Tensors::get().add_all(model.run(named, wanted), outputs, max_outputs);
    if (num_outputs) *num_outputs = n;
    return 0;
  }
  auto ticket = std::make_unique<Ticket>();
  ticket->run = model.start(named, wanted);
  return add_ticket(std::move(ticket));
}

}  // namespace
}  // namespace tsr::capi

using tsr::capi::guard;
using tsr::capi::Tensors;

extern "C" {

tsr_model tsr_model_new(const char* json, size_t bytes) {
  return guard(TSR_NONE, [&] {
    tsr::require(json != nullptr || bytes == 0, "[model] json is a null pointer");
    auto e = std::make_unique<tsr::capi::ModelEntry>();
    e->loader = std::make_unique<tsr::formats::TfjsLoader>(std::string_view(json, bytes));
    e->weight_bytes = static_cast<double>(e->loader->weight_bytes());
    return tsr::capi::table().add(std::move(e));
  });
}

double tsr_model_weight_bytes(tsr_model m) {
  return guard(-1.0, [&] { return tsr::capi::entry(m).weight_bytes; });
}

int tsr_model_add_weights(tsr_model m, const void* data, size_t bytes) {
  return guard(-1, [&] {
    auto& e = tsr::capi::entry(m);
    tsr::require(e.loader != nullptr, "[model] the model is complete already");
    tsr::require(data != nullptr || bytes == 0, "[model] data is a null pointer");
    e.loader->add_weights({static_cast<const std::byte*>(data), bytes});
    return 0;
  });
}

void* tsr_model_weight_room(tsr_model m, size_t* bytes) {
  if (bytes) *bytes = 0;
  return guard(static_cast<void*>(nullptr), [&]() -> void* {
    auto& e = tsr::capi::entry(m);
    tsr::require(e.loader != nullptr, "[model] the model is complete already");
    tsr::require(bytes != nullptr, "[model] bytes is a null pointer");
    const std::span<std::byte> room = e.loader->weight_room();
    *bytes = room.size();
    return room.data();
  });
}

int tsr_model_weight_filled(tsr_model m, size_t bytes) {
  return guard(-1, [&] {
    auto& e = tsr::capi::entry(m);
    tsr::require(e.loader != nullptr, "[model] the model is complete already");
    e.loader->weight_filled(bytes);
    return 0;
  });
}

int tsr_model_warm(tsr_model m, double ms) {
  return guard(-1, [&] {
    auto& e = tsr::capi::entry(m);
    tsr::require(e.loader != nullptr, "[model] the model is complete already");
    tsr::warm_kernels(tsr::Engine::get().device(), e.loader->warm_works(), tsr::Deadline::after_ms(ms));
    return 0;
  });
}

int tsr_model_finish(tsr_model m) {
  return guard(-1, [&] {
    auto& e = tsr::capi::entry(m);
    tsr::require(e.loader != nullptr, "[model] the model is complete already");
    e.model = e.loader->finish();
    e.loader.reset();
    return 0;
  });
}

const char* tsr_model_info(tsr_model m) {
  return guard(static_cast<const char*>(nullptr), [&] {
    return tsr::capi::returned_string(tsr::capi::model_info_json(tsr::capi::finished(m)));
  });
}

tsr_ticket tsr_model_run(tsr_model m, const char* input_names, const tsr_tensor* inputs, int num_inputs,
                         const char* output_names, int async, tsr_tensor* outputs, int max_outputs, int* num_outputs) {
  return guard(-1, [&] {
    return tsr::capi::run(m, input_names, inputs, num_inputs, output_names, async != 0, outputs, max_outputs, num_outputs);
  });
}

int tsr_model_result(tsr_ticket ticket, tsr_tensor* outputs, int max_outputs) {
  return guard(-1, [&] {
    tsr::capi::Ticket& t = tsr::capi::ticket(ticket);
    tsr::require(t.run != nullptr, "[model] the ticket is a read: see tsr_read_result");
    tsr::require(t.done, "[model] the run is not done yet: poll the ticket until it says so");
    return Tensors::get().add_all(t.run->take_outputs(), outputs, max_outputs);
  });
}

void tsr_model_dispose(tsr_model m) {
  guard(0, [&] {
    tsr::capi::table().remove(m);
    return 0;
  });
}

}  // extern "C"
