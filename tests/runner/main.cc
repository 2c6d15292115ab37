// tessera_cases [--dir FOLDER] [--only OP[/CASE]] [--threads N] [--target NAME] [--list-targets] [--verbose] [DEVICE...]
//
// Runs tests/cases/*.json on the reference and on each device named (cpu, gl, ...). Prints every case that did not pass, and
// counts; the last line is "N passed, N failed". Exit status 1 when something failed. --target: the instruction set that the
// CPU's code uses, one of those that --list-targets prints, the best first (default: the best).
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "backends/cpu/kernels/targets.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "case_runner.h"
#include "runtime/engine.h"

namespace {

using tsr::cases::Outcome;

struct Options {
  std::string dir = "tests/cases", only_op, only_case, target;
  std::vector<std::string> devices;
  bool verbose = false, list_targets = false;
  int threads = 0;
};

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--verbose") {
      o.verbose = true;
    } else if (a == "--list-targets") {
      o.list_targets = true;
    } else if (a == "--target" && i + 1 < argc) {
      o.target = argv[++i];
    } else if (a == "--threads" && i + 1 < argc) {
      o.threads = std::atoi(argv[++i]);
    } else if (a == "--dir" && i + 1 < argc) {
      o.dir = argv[++i];
    } else if (a == "--only" && i + 1 < argc) {
      const std::string v = argv[++i];
      const size_t slash = v.find('/');
      o.only_op = v.substr(0, slash);
      if (slash != std::string::npos) o.only_case = v.substr(slash + 1);
    } else if (!a.empty() && a[0] != '-') {
      o.devices.push_back(a);
    } else {
      tsr::fail(tsr::ErrorCode::kInvalidArgument, "unknown option '", a,
                "'; usage: tessera_cases [--dir FOLDER] [--only OP[/CASE]] [--threads N] [--target NAME] [--list-targets] "
                "[--verbose] [DEVICE...]");
    }
  }
  return o;
}

// Instruction sets that this machine has and the kernels are compiled for, the best first.
std::vector<int64_t> targets() {
  std::vector<int64_t> list;
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
  list.push_back(HWY_TARGETS);  // chosen when this was compiled
#else
  for (int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) list.push_back(rest & -rest);
#endif
  return list;
}

void choose_target(const std::string& name) {
  std::string names;
  for (int64_t target : targets()) {
    if (name == hwy::TargetName(target)) {
#if (HWY_TARGETS & (HWY_TARGETS - 1)) != 0
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().DeInit();
#endif
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(hwy::TargetName(target));
  }
  tsr::fail(tsr::ErrorCode::kInvalidArgument, "there is no instruction set '", name, "' here; there are ", names);
}

int run(const Options& o) {
  if (o.list_targets) {
    for (int64_t target : targets()) std::printf("%s\n", hwy::TargetName(target));
    return 0;
  }
  if (!o.target.empty()) choose_target(o.target);
  std::map<std::string, std::map<Outcome, int>> counts;
  const auto report = [&](const std::string& where, const std::string& op, const std::string& name, const tsr::cases::Result& r) {
    ++counts[where][r.outcome];
    if (r.outcome == Outcome::kPass && !o.verbose) return;
    std::printf("%-11s %s %s / %s%s%s\n", name_of(r.outcome), where.c_str(), op.c_str(), name.c_str(), r.detail.empty() ? "" : ": ",
                r.detail.c_str());
  };

  // Reference first: while it runs, ops do not go to the engine.
  struct Item {
    size_t file;
    const tsr::cases::Case* c;
    tsr::cases::Golden golden;
  };
  std::vector<tsr::cases::CaseFile> files;
  for (const std::string& path : tsr::cases::case_files(o.dir)) {
    const std::string stem = path.substr(path.find_last_of('/') + 1);
    if (!o.only_op.empty() && stem != o.only_op + ".json") continue;
    try {
      files.push_back(tsr::cases::read_case_file(path));
    } catch (const tsr::Error& e) {
      report("file", stem, "", {Outcome::kFail, e.what()});
    }
  }
  std::vector<Item> items;
  for (size_t f = 0; f < files.size(); ++f) {
    for (const auto& c : files[f].cases) {
      if (!o.only_case.empty() && c.name.find(o.only_case) == std::string::npos) continue;
      items.push_back({f, &c, run_on_reference(files[f], c)});
      report("reference", files[f].op->name, c.name, items.back().golden.result);
    }
  }
  for (const std::string& device : o.devices) {
    try {
      tsr::Engine::get().set_device(device);
      if (o.threads) tsr::Engine::get().set_threads(o.threads);
    } catch (const tsr::Error& e) {
      report(device, "-", "set device", {Outcome::kFail, e.what()});
      continue;
    }
    for (const Item& i : items) report(device, files[i.file].op->name, i.c->name, run_on_device(files[i.file], *i.c, i.golden, device));
  }

  int passed = 0, failed = 0;
  for (auto& [where, by] : counts) {
    std::printf("%s: %d pass, %d fail, %d unsupported, %d excluded\n", where.c_str(), by[Outcome::kPass], by[Outcome::kFail],
                by[Outcome::kUnsupported], by[Outcome::kExcluded]);
    passed += by[Outcome::kPass];
    failed += by[Outcome::kFail];
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const tsr::Error& e) {
    std::fprintf(stderr, "tessera_cases: %s\n", e.what());
    return 2;
  }
}
