// Pictures: decoding (PNG, JPEG, BMP), resizing for a model, drawing and writing PNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/tensor.h"

namespace tsr::cli {

/// 8-bit RGB, rows from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;

  uint8_t* at(int x, int y) { return &rgb[(static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) * 3]; }
  const uint8_t* at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }
};

bool is_image_name(const std::string& path);
/// Throws kNotFound or kBadFile naming the file.
Image read_image(const std::string& path);
void write_png(const std::string& path, const Image& image);

/// The rectangle [x0, x1) x [y0, y1) of the picture (parts outside are black), stretched to width x height, bilinear with
/// half-pixel centres, as a [1, height, width, 3] tensor of `dtype` with 0..255 mapped to low..high.
struct Crop {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};
Tensor image_tensor(const Image& image, const Crop& crop, int width, int height, DType dtype, double low, double high);
inline Crop whole(const Image& image) { return {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)}; }

struct Color {
  uint8_t r = 0, g = 0, b = 0;
};
/// Drawing clips at the edges.
void draw_line(Image& image, double x0, double y0, double x1, double y1, Color color, int thickness);
void draw_box(Image& image, double x0, double y0, double x1, double y1, Color color, int thickness);
void draw_dot(Image& image, double x, double y, Color color, int radius);
/// Text in a 5x7 dot font times `scale`, with a filled background; capitals, digits and a little punctuation.
void draw_label(Image& image, double x, double y, const std::string& text, Color text_color, Color background, int scale);

}  // namespace tsr::cli
