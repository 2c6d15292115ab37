// load_model from the disk.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "formats/tfjs/loader.h"
#include "tessera/model.h"

namespace tsr {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Opens a regular file and says how long it is.
File open(const fs::path& path, const std::string& what, int64_t& size) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail(ErrorCode::kNotFound, what, " does not exist: ", path.string());
  if (!fs::is_regular_file(status)) fail(ErrorCode::kNotFound, what, " is not a file: ", path.string());
  size = static_cast<int64_t>(fs::file_size(path, error));
  File f(error ? nullptr : std::fopen(path.c_str(), "rb"));
  if (!f) fail(ErrorCode::kNotFound, what, " cannot be read: ", path.string(), ": ", std::strerror(errno));
  return f;
}

std::string read_all(const std::string& path) {
  int64_t size = 0;
  const File f = open(path, "the model file", size);
  // Far above any model's JSON (a few MB); keeps a mistaken path to something huge from filling the memory.
  constexpr int64_t kMaxJson = int64_t{1} << 30;
  if (size > kMaxJson) fail(ErrorCode::kBadFile, path, " has ", size, " bytes, too many for a model.json");
  std::string text(static_cast<size_t>(size), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), f.get()));
  return text;
}

}  // namespace

Model load_model(const std::string& path, const LoadOptions& options) {
  fs::path file = path;
  std::error_code error;
  if (fs::is_directory(file, error)) file /= "model.json";
  formats::TfjsLoader loader(read_all(file.string()));
  const fs::path folder = file.parent_path();
  // All shards are looked at before the first is read.
  for (const formats::WeightGroup& group : loader.manifest().groups) {
    std::vector<int64_t> sizes;
    for (const std::string& shard : group.paths) open(folder / shard, "shard '" + shard + "'", sizes.emplace_back());
    formats::check_shard_sizes(group, sizes);
  }
  constexpr size_t kPiece = size_t{1} << 20;
  std::vector<std::byte> buffer(kPiece);
  const int64_t total = loader.weight_bytes();
  int64_t done = 0;
  for (const formats::WeightGroup& group : loader.manifest().groups) {
    for (const std::string& shard : group.paths) {
      int64_t size = 0;
      const File f = open(folder / shard, "shard '" + shard + "'", size);
      while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), f.get())) {
        loader.add_weights(std::span<const std::byte>(buffer).first(n));
        done += static_cast<int64_t>(n);
        if (options.on_progress && !options.on_progress(done, std::max(total, done))) {
          fail(ErrorCode::kCancelled, "loading ", path, " was cancelled");
        }
      }
      if (std::ferror(f.get()))
        fail(ErrorCode::kNotFound, "shard '", shard, "' cannot be read: ", std::strerror(errno));
    }
  }
  return loader.finish();
}

}  // namespace tsr
