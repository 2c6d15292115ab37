// tessera_gen --out ROOT writes the generated files below ROOT; tessera_gen --check ROOT compares them and exits 1,
// naming each that differs from what the registry says.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "gen.h"

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

int usage() {
  std::cerr << "usage: tessera_gen --out ROOT | --check ROOT\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return usage();
  const std::string mode = argv[1];
  if (mode != "--out" && mode != "--check") return usage();
  const std::filesystem::path root = argv[2];
  const std::map<std::string, std::string> files = {
      {"include/tessera/ops.h", tsr::gen::cpp_header()}, {"src/ops/ops_api.cc", tsr::gen::cpp_source()},
      {"js/generated/ops.mjs", tsr::gen::js_module()},   {"js/generated/ops.d.ts", tsr::gen::js_types()},
      {"docs/ops.md", tsr::gen::reference_page()},
  };
  int different = 0;
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = root / name;
    if (read_file(path) == text) continue;  // untouched, so that nothing is rebuilt for it
    ++different;
    if (mode == "--check") {
      std::cerr << name << " differs from the op registry: run `tessera_gen --out " << root.string() << "`\n";
      continue;
    }
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) {
      std::cerr << "cannot write " << path.string() << "\n";
      return 1;
    }
    std::cout << "wrote " << name << "\n";
  }
  return mode == "--check" && different > 0 ? 1 : 0;
} catch (const std::exception& e) {
  std::cerr << "tessera_gen: " << e.what() << "\n";
  return 1;
}
