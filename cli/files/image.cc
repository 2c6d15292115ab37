#include "files/image.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "files/array_file.h"
#include "tessera/error.h"

// stb's headers are not ours to warn about.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace tsr::cli {
namespace {

void put(Image& image, int x, int y, Color c) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return;
  uint8_t* p = image.at(x, y);
  p[0] = c.r;
  p[1] = c.g;
  p[2] = c.b;
}

void square(Image& image, double x, double y, Color c, int thickness) {
  const int half = thickness / 2;
  const int cx = static_cast<int>(std::lround(x));
  const int cy = static_cast<int>(std::lround(y));
  for (int dy = -half; dy < thickness - half; ++dy) {
    for (int dx = -half; dx < thickness - half; ++dx) put(image, cx + dx, cy + dy, c);
  }
}

// Five columns a glyph, bit 0 at the top. Drawn by hand for this file.
const uint8_t* glyph(char c) {
  static constexpr uint8_t kDigits[10][5] = {{62, 81, 73, 69, 62}, {0, 66, 127, 64, 0},   {98, 81, 73, 73, 70}, {34, 65, 73, 73, 54},
                                             {24, 20, 18, 127, 16}, {47, 73, 73, 73, 49}, {62, 73, 73, 73, 50}, {3, 1, 113, 9, 7},
                                             {54, 73, 73, 73, 54},  {38, 73, 73, 73, 62}};
  static constexpr uint8_t kLetters[26][5] = {
      {126, 9, 9, 9, 126},      {127, 73, 73, 73, 54},  {62, 65, 65, 65, 34},  {127, 65, 65, 65, 62}, {127, 73, 73, 73, 65},
      {127, 9, 9, 9, 1},        {62, 65, 73, 73, 58},   {127, 8, 8, 8, 127},   {0, 65, 127, 65, 0},   {32, 64, 65, 63, 1},
      {127, 8, 20, 34, 65},     {127, 64, 64, 64, 64},  {127, 2, 12, 2, 127},  {127, 4, 8, 16, 127},  {62, 65, 65, 65, 62},
      {127, 9, 9, 9, 6},        {62, 65, 81, 33, 94},   {127, 9, 25, 41, 70},  {38, 73, 73, 73, 50},  {1, 1, 127, 1, 1},
      {63, 64, 64, 64, 63},     {31, 32, 64, 32, 31},   {63, 64, 56, 64, 63},  {99, 20, 8, 20, 99},   {3, 4, 120, 4, 3},
      {97, 81, 73, 69, 67}};
  static constexpr uint8_t kDot[5] = {0, 96, 96, 0, 0};
  static constexpr uint8_t kPercent[5] = {35, 19, 8, 100, 98};
  static constexpr uint8_t kBlank[5] = {0, 0, 0, 0, 0};
  const auto u = static_cast<unsigned char>(c);
  if (std::isdigit(u)) return kDigits[c - '0'];
  if (std::isalpha(u)) return kLetters[std::toupper(u) - 'A'];
  if (c == '.') return kDot;
  if (c == '%') return kPercent;
  return kBlank;
}

}  // namespace

bool is_image_name(const std::string& path) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* end : {".png", ".jpg", ".jpeg", ".bmp"}) {
    if (lower.ends_with(end)) return true;
  }
  return false;
}

Image read_image(const std::string& path) {
  const std::vector<std::byte> file = read_file(path);
  int w = 0, h = 0, channels = 0;
  stbi_uc* pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.data()), static_cast<int>(file.size()), &w, &h, &channels, 3);
  if (!pixels) fail(ErrorCode::kBadFile, "cannot decode the picture '", path, "': ", stbi_failure_reason());
  Image image;
  image.width = w;
  image.height = h;
  image.rgb.assign(pixels, pixels + static_cast<size_t>(w) * static_cast<size_t>(h) * 3);
  stbi_image_free(pixels);
  return image;
}

void write_png(const std::string& path, const Image& image) {
  if (!stbi_write_png(path.c_str(), image.width, image.height, 3, image.rgb.data(), image.width * 3)) {
    fail(ErrorCode::kNotFound, "cannot write '", path, "'");
  }
}

Tensor image_tensor(const Image& image, const Crop& crop, int width, int height, DType dtype, double low, double high) {
  const Shape shape{1, height, width, 3};
  std::vector<float> values(static_cast<size_t>(shape.size()));
  const auto pixel = [&](int x, int y, int c) -> double {
    if (x < std::floor(crop.x0) || y < std::floor(crop.y0) || x < 0 || y < 0 || x >= image.width || y >= image.height) return 0;
    return image.at(x, y)[c];
  };
  size_t i = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double sx = crop.x0 + (x + 0.5) * (crop.x1 - crop.x0) / width - 0.5;
      const double sy = crop.y0 + (y + 0.5) * (crop.y1 - crop.y0) / height - 0.5;
      // Inside the picture its edge repeats; outside is black.
      const bool outside = sx < -0.5 || sy < -0.5 || sx > image.width - 0.5 || sy > image.height - 0.5;
      const double cx = std::clamp(sx, 0.0, image.width - 1.0);
      const double cy = std::clamp(sy, 0.0, image.height - 1.0);
      const int x0 = static_cast<int>(cx), y0 = static_cast<int>(cy);
      const int x1 = std::min(x0 + 1, image.width - 1), y1 = std::min(y0 + 1, image.height - 1);
      for (int c = 0; c < 3; ++c) {
        const double top = pixel(x0, y0, c) + (pixel(x1, y0, c) - pixel(x0, y0, c)) * (cx - x0);
        const double bottom = pixel(x0, y1, c) + (pixel(x1, y1, c) - pixel(x0, y1, c)) * (cx - x0);
        const double v = outside ? 0 : top + (bottom - top) * (cy - y0);
        values[i++] = static_cast<float>(low + (high - low) * v / 255.0);
      }
    }
  }
  if (dtype == DType::kFloat32) return Tensor::from(std::span<const float>(values), shape);
  std::vector<int32_t> ints(values.size());
  for (size_t k = 0; k < ints.size(); ++k) ints[k] = static_cast<int32_t>(std::lround(values[k]));
  return Tensor::from(std::span<const int32_t>(ints), shape);
}

void draw_line(Image& image, double x0, double y0, double x1, double y1, Color color, int thickness) {
  const int steps = std::max(1, static_cast<int>(std::ceil(std::max(std::fabs(x1 - x0), std::fabs(y1 - y0)))));
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    square(image, x0 + (x1 - x0) * t, y0 + (y1 - y0) * t, color, thickness);
  }
}

void draw_box(Image& image, double x0, double y0, double x1, double y1, Color color, int thickness) {
  draw_line(image, x0, y0, x1, y0, color, thickness);
  draw_line(image, x1, y0, x1, y1, color, thickness);
  draw_line(image, x1, y1, x0, y1, color, thickness);
  draw_line(image, x0, y1, x0, y0, color, thickness);
}

void draw_dot(Image& image, double x, double y, Color color, int radius) {
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      if (dx * dx + dy * dy <= radius * radius) put(image, static_cast<int>(std::lround(x)) + dx, static_cast<int>(std::lround(y)) + dy, color);
    }
  }
}

void draw_label(Image& image, double x, double y, const std::string& text, Color text_color, Color background, int scale) {
  const int left = static_cast<int>(std::lround(x)), top = static_cast<int>(std::lround(y));
  const int width = (static_cast<int>(text.size()) * 6 + 1) * scale;
  for (int v = 0; v < 9 * scale; ++v) {
    for (int u = 0; u < width; ++u) put(image, left + u, top + v, background);
  }
  for (size_t k = 0; k < text.size(); ++k) {
    const uint8_t* columns = glyph(text[k]);
    for (int c = 0; c < 5; ++c) {
      for (int r = 0; r < 7; ++r) {
        if (!(columns[c] >> r & 1)) continue;
        for (int v = 0; v < scale; ++v) {
          for (int u = 0; u < scale; ++u) {
            put(image, left + (static_cast<int>(k) * 6 + 1 + c) * scale + u, top + (1 + r) * scale + v, text_color);
          }
        }
      }
    }
  }
}

}  // namespace tsr::cli
