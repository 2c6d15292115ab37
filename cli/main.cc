// tessera: models from the command line.
//
//   tessera info MODEL
//   tessera run MODEL --input [NAME=]FILE ... --output-dir DIR [--output NAME ...] [--device cpu|gl] [--threads N] [--time N]
//   tessera ops
//
// Exit status: 0 done, 1 the work failed (one sentence says why), 2 the command line is wrong.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "files/array_file.h"
#include "core/op_def.h"
#include "files/image.h"
#include "files/progress.h"
#include "runtime/engine.h"
#include "tessera/error.h"
#include "tessera/model.h"
#include "tessera/tessera.h"

namespace tsr::cli {
namespace {

constexpr const char* kUsage =
    "usage: tessera info MODEL\n"
    "       tessera run MODEL --input [NAME=]FILE ... --output-dir DIR [options]\n"
    "       tessera ops\n"
    "       tessera --version\n"
    "\n"
    "MODEL is the model.json of a TensorFlow.js graph model; its weight files lie beside it.\n"
    "FILE is .npy, .npz (all its arrays by name, or with NAME= the one of that name) or a picture (.png, .jpg, .bmp),\n"
    "which is stretched to the size that the input wants. NAME= may be left out when the model has one input.\n"
    "\n"
    "options of run:\n"
    "  --output NAME        only this output or inner value; may be given several times\n"
    "  --image-range A,B    numbers that black and white become (default: 0,255 for int32 inputs, 0,1 for float32)\n"
    "  --device cpu|gl      where to run (default cpu)\n"
    "  --threads N          CPU threads (default: all cores)\n"
    "  --time N             run N more times and print the median and the shortest time\n"
    "  --profile N          run N more times and print the shortest time of every step, slowest kind first\n";

struct UsageError {
  std::string message;
};

struct RunOptions {
  std::string model;
  std::vector<std::string> inputs, outputs;
  std::string output_dir;
  std::string device = "cpu";
  std::optional<std::pair<double, double>> image_range;
  int threads = 0;
  int time = 0;
  int profile = 0;
};

int parse_count(const std::string& text, const char* option, int least) {
  char* end = nullptr;
  const long v = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end || v < least || v > 1'000'000) {
    throw UsageError{str(option, " wants a whole number of at least ", least, ", got '", text, "'")};
  }
  return static_cast<int>(v);
}

RunOptions parse_run(std::span<const std::string> args) {
  RunOptions o;
  for (size_t i = 0; i < args.size(); ++i) {
    std::string name = args[i];
    if (!name.starts_with("--")) {
      if (!o.model.empty()) throw UsageError{"run takes one MODEL; '" + name + "' is one too many"};
      o.model = name;
      continue;
    }
    constexpr std::string_view kOptions[] = {"--input", "--output", "--output-dir", "--device", "--threads", "--time", "--profile", "--image-range"};
    const std::string_view bare = std::string_view(name).substr(0, name.find('='));
    if (std::find(std::begin(kOptions), std::end(kOptions), bare) == std::end(kOptions)) {
      throw UsageError{"run has no option " + std::string(bare)};
    }
    std::string value;
    if (const size_t eq = name.find('='); eq != std::string::npos && !name.starts_with("--input=")) {
      value = name.substr(eq + 1);
      name.resize(eq);
    } else if (name.starts_with("--input=")) {
      value = name.substr(8);
      name = "--input";
    } else if (i + 1 < args.size()) {
      value = args[++i];
    } else {
      throw UsageError{name + " wants a value"};
    }
    if (name == "--input") o.inputs.push_back(value);
    else if (name == "--output") o.outputs.push_back(value);
    else if (name == "--output-dir") o.output_dir = value;
    else if (name == "--device") o.device = value;
    else if (name == "--threads") o.threads = parse_count(value, "--threads", 0);
    else if (name == "--time") o.time = parse_count(value, "--time", 1);
    else if (name == "--profile") o.profile = parse_count(value, "--profile", 1);
    else {  // --image-range
      double a = 0, b = 0;
      int read = 0;
      if (std::sscanf(value.c_str(), "%lf,%lf%n", &a, &b, &read) != 2 || static_cast<size_t>(read) != value.size() || !(a < b || a > b)) throw UsageError{"--image-range wants two numbers A,B, got '" + value + "'"};
      o.image_range = {a, b};
    }
  }
  if (o.model.empty()) throw UsageError{"run wants a MODEL"};
  if (o.output_dir.empty() && o.time == 0 && o.profile == 0) throw UsageError{"run wants --output-dir (or --time, --profile)"};
  return o;
}

std::string shape_text(const ModelInfo::Port& port) {
  if (!port.shape_known) return "[...]";
  std::string out = "[";
  for (size_t i = 0; i < port.shape.size(); ++i) out += (i ? "," : "") + (port.shape[i] < 0 ? std::string("?") : std::to_string(port.shape[i]));
  return out + "]";
}

Model load_with_progress(const std::string& path) {
  ProgressLine bar("loading " + path);
  LoadOptions options;
  options.on_progress = [&](int64_t done, int64_t total) {
    bar.show(done, total);
    return true;
  };
  return load_model(path, options);
}

int info(const std::string& path) {
  const Model model = load_with_progress(path);
  const ModelInfo& m = model.info();
  std::cout << "model       " << path << "\nformat      " << m.format << "\n";
  if (!m.generated_by.empty()) std::cout << "made by     " << m.generated_by << "\n";
  if (!m.converted_by.empty()) std::cout << "converter   " << m.converted_by << "\n";
  for (const auto& p : m.inputs) std::cout << "input       " << p.name << " " << name_of(p.dtype) << shape_text(p) << "\n";
  for (const auto& p : m.outputs) std::cout << "output      " << p.name << " " << name_of(p.dtype) << shape_text(p) << "\n";
  std::cout << "parameters  " << m.parameters << "\nweights     " << m.weight_bytes << " bytes\n";
  std::cout << "shapes      " << (model.dynamic() ? "depend on data" : "known beforehand") << "\nops        ";
  for (const auto& [op, count] : m.op_counts) std::cout << " " << op << ":" << count;
  std::cout << "\n";
  return 0;
}

int ops() {
  for (const OpDef* op : all_ops()) {
    if (!op->in_js) continue;
    std::string doc = static_cast<const char*>(op->doc);
    if (const size_t dot = doc.find(". "); dot != std::string::npos) doc.resize(dot + 1);
    std::cout << op->name << "\t" << doc << "\n";
  }
  return 0;
}

const ModelInfo::Port& find_port(const ModelInfo& m, const std::string& name) {
  for (const auto& p : m.inputs) {
    if (p.name == name || p.name == name + ":0" || p.signature_key == name) return p;
  }
  std::string have;
  for (const auto& p : m.inputs) have += (have.empty() ? "'" : ", '") + p.name + "'";
  fail(ErrorCode::kInvalidArgument, "the model has no input '", name, "'; its inputs are ", have);
}

Tensor picture(const std::string& path, const ModelInfo::Port& port, const RunOptions& o) {
  const Image image = read_image(path);
  require(port.shape_known && port.shape.size() == 4 && (port.shape[3] == 3 || port.shape[3] < 0), "input '", port.name, "' is ",
          shape_text(port), " and cannot take the picture '", path, "'; wanted [1,height,width,3]");
  const int height = port.shape[1] > 0 ? static_cast<int>(port.shape[1]) : image.height;
  const int width = port.shape[2] > 0 ? static_cast<int>(port.shape[2]) : image.width;
  const auto range = o.image_range.value_or(std::pair{0.0, port.dtype == DType::kInt32 ? 255.0 : 1.0});
  return image_tensor(image, whole(image), width, height, port.dtype, range.first, range.second);
}

std::vector<std::pair<std::string, Tensor>> read_inputs(const Model& model, const RunOptions& o) {
  const ModelInfo& m = model.info();
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const std::string& arg : o.inputs) {
    std::string name, file = arg;
    // "NAME=FILE", unless the whole is a file that exists.
    if (const size_t eq = arg.find('='); eq != std::string::npos && !std::filesystem::exists(arg)) {
      name = arg.substr(0, eq);
      file = arg.substr(eq + 1);
    }
    if (file.ends_with(".npz")) {
      auto arrays = parse_npz(read_file(file), file);
      if (name.empty()) {
        for (auto& a : arrays) inputs.push_back(std::move(a));
        continue;
      }
      const auto it = std::find_if(arrays.begin(), arrays.end(), [&](const auto& a) { return a.first == name; });
      require(it != arrays.end() || arrays.size() == 1, "'", file, "' has no array '", name, "'");
      inputs.emplace_back(name, it != arrays.end() ? it->second : arrays[0].second);
      continue;
    }
    if (name.empty()) {
      require(m.inputs.size() == 1, "the model has ", m.inputs.size(), " inputs: say which one '", file, "' is for with NAME=FILE");
      name = m.inputs[0].name;
    }
    const auto& port = find_port(m, name);
    inputs.emplace_back(port.name, is_image_name(file) ? picture(file, port, o) : parse_npy(read_file(file), file));
  }
  return inputs;
}

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Every step's shortest time in `runs` runs, then the sums by kind of step.
template <typename Once>
void print_profile(int runs, Once once) {
  Engine& engine = Engine::get();
  std::vector<Engine::LaunchTime> steps;
  for (int i = 0; i < runs; ++i) {
    engine.profile_begin();
    once();
    const std::vector<Engine::LaunchTime> now = engine.profile_end();
    if (steps.size() != now.size()) steps = now;  // the first run, or data made it take another way
    for (size_t k = 0; k < now.size(); ++k) steps[k].ms = std::min(steps[k].ms, now[k].ms);
  }
  std::map<std::string, std::pair<double, int>> kinds;
  double sum = 0;
  for (size_t k = 0; k < steps.size(); ++k) {
    std::printf("%4zu %9.3f ms %10zu bytes  %s\n", k, steps[k].ms, steps[k].bytes, steps[k].what.c_str());
    auto& [ms, count] = kinds[steps[k].what];
    ms += steps[k].ms;
    ++count;
    sum += steps[k].ms;
  }
  std::vector<std::pair<std::string, std::pair<double, int>>> sorted(kinds.begin(), kinds.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  std::printf("\n");
  for (const auto& [what, t] : sorted) std::printf("%9.3f ms %5.1f%% %4d x %s\n", t.first, 100 * t.first / sum, t.second, what.c_str());
  std::printf("%9.3f ms in all, %s, %d threads\n", sum, engine.device().name(), engine.threads());
}

int run(const RunOptions& o) {
  Engine& engine = Engine::get();
  if (o.threads) engine.set_threads(o.threads);
  engine.set_device(o.device);
  double t = now_ms();
  const Model model = load_with_progress(o.model);
  const double load_ms = now_ms() - t;
  const auto inputs = read_inputs(model, o);
  const auto once = [&] {
    std::vector<Tensor> out = model.run(inputs, o.outputs);
    for (const Tensor& x : out) {
      if (x.dtype() == DType::kString) x.to_strings();
      else x.to_bytes();
    }
    return out;
  };
  t = now_ms();
  const std::vector<Tensor> out = once();
  const double first_ms = now_ms() - t;

  std::vector<std::string> names = o.outputs;
  if (names.empty()) {
    for (const auto& p : model.info().outputs) names.push_back(p.name);
  }
  if (!o.output_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(o.output_dir, error);
    if (error) fail(ErrorCode::kNotFound, "the output folder '", o.output_dir, "' cannot be made: ", error.message());
    for (size_t i = 0; i < out.size(); ++i) {
      std::string file = names[i];
      for (char& c : file) c = c == '/' || c == ':' || c == '\\' ? '_' : c;
      const std::string path = o.output_dir + "/" + file + ".npy";
      write_file(path, to_npy(out[i]));
      std::cout << names[i] << "\t" << out[i].type() << "\t" << path << "\n";
    }
  }
  std::printf("load %.1f ms, first run %.1f ms", load_ms, first_ms);
  if (o.time > 0) {
    std::vector<double> times;
    for (int i = 0; i < o.time; ++i) {
      t = now_ms();
      once();
      times.push_back(now_ms() - t);
    }
    std::sort(times.begin(), times.end());
    std::printf(", then median %.2f ms, shortest %.2f ms of %d (%s, %d threads)", times[times.size() / 2], times[0], o.time,
                engine.device().name(), engine.threads());
  }
  std::printf("\n");
  if (o.profile > 0) print_profile(o.profile, once);
  return 0;
}

int dispatch(std::span<const std::string> args) {
  if (args.empty()) throw UsageError{"say what to do"};
  const std::string& verb = args[0];
  if (verb == "--help" || verb == "-h" || verb == "help") {
    std::cout << kUsage;
    return 0;
  }
  if (verb == "--version" || verb == "version") {
    std::cout << "tessera " << tsr_version() << "\n";
    return 0;
  }
  if (args.size() > 1 && (args[1] == "--help" || args[1] == "-h")) {
    std::cout << kUsage;
    return 0;
  }
  if (verb == "info") {
    if (args.size() != 2) throw UsageError{"info takes one MODEL"};
    return info(args[1]);
  }
  if (verb == "ops") {
    if (args.size() != 1) throw UsageError{"ops takes no arguments"};
    return ops();
  }
  if (verb == "run") return run(parse_run(args.subspan(1)));
  throw UsageError{"there is no command '" + verb + "'"};
}

}  // namespace
}  // namespace tsr::cli

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  try {
    return tsr::cli::dispatch(args);
  } catch (const tsr::cli::UsageError& e) {
    std::cerr << "tessera: " << e.message << "\n\n" << tsr::cli::kUsage;
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "tessera: " << e.what() << "\n";
    return 1;
  }
}
