#include "files/array_file.h"

#include <zlib.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>

#include "tessera/error.h"

namespace tsr::cli {
namespace {

template <typename T>
T read_as(const std::byte* p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
  const uint32_t exponent = (h >> 10) & 31;
  const uint32_t mantissa = h & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float v = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
    return sign ? -v : v;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

// The text after `key` in an .npy header, which is a Python dict literal.
std::string header_field(const std::string& header, const std::string& key, const std::string& what) {
  const size_t at = header.find("'" + key + "'");
  const size_t colon = at == std::string::npos ? at : header.find(':', at);
  if (colon == std::string::npos) fail(ErrorCode::kBadFile, what, ": the .npy header has no '", key, "'");
  return header.substr(colon + 1);
}

Shape parse_shape(const std::string& text, const std::string& what) {
  const size_t open = text.find('(');
  const size_t close = text.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    fail(ErrorCode::kBadFile, what, ": the .npy header's shape cannot be read");
  }
  Shape shape;
  int64_t number = -1;
  for (size_t i = open + 1; i <= close; ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
      if (number > std::numeric_limits<int32_t>::max()) fail(ErrorCode::kBadFile, what, ": the .npy shape is too large");
      continue;
    }
    if (c != ',' && c != ' ' && c != ')' && c != 'L') {  // Python 2 wrote 3L
      fail(ErrorCode::kBadFile, what, ": the .npy header's shape ", text.substr(open, close + 1 - open), " is not a tuple of sizes");
    }
    if (number < 0 || c == 'L') continue;
    if (c == ' ') {  // blanks may follow a number, not divide it
      const size_t next = text.find_first_not_of(' ', i);
      if (text[next] != ',' && text[next] != ')') fail(ErrorCode::kBadFile, what, ": the .npy header's shape is not a tuple of sizes");
    }
    shape.push_back(number);
    number = -1;
  }
  return shape;
}

// Elements in C order whatever the file's order was.
std::vector<std::byte> c_order(std::span<const std::byte> data, const Shape& shape, size_t size, bool fortran) {
  std::vector<std::byte> out(data.begin(), data.end());
  if (!fortran || shape.rank() < 2) return out;
  const int64_t n = shape.size();
  const Shape strides = shape.strides();
  for (int64_t i = 0; i < n; ++i) {  // i counts in Fortran order
    int64_t rest = i;
    int64_t to = 0;
    for (int d = 0; d < shape.rank(); ++d) {
      to += rest % shape[d] * strides[d];
      rest /= shape[d];
    }
    std::memcpy(out.data() + static_cast<size_t>(to) * size, data.data() + static_cast<size_t>(i) * size, size);
  }
  return out;
}

template <typename From, typename To, typename Fn>
std::vector<To> convert(const std::vector<std::byte>& bytes, Fn fn) {
  std::vector<To> out(bytes.size() / sizeof(From));
  for (size_t i = 0; i < out.size(); ++i) out[i] = fn(read_as<From>(bytes.data() + i * sizeof(From)));
  return out;
}

template <typename From>
Tensor to_int32(const std::vector<std::byte>& bytes, const Shape& shape, const std::string& what) {
  return Tensor::from(std::span<const int32_t>(convert<From, int32_t>(bytes,
                                                                      [&](From v) {
                                                                        if (!std::in_range<int32_t>(v)) {
                                                                          fail(ErrorCode::kBadFile, what, ": value ", v,
                                                                               " does not fit int32");
                                                                        }
                                                                        return static_cast<int32_t>(v);
                                                                      })),
                      shape);
}

std::vector<std::byte> inflate_raw(std::span<const std::byte> data, size_t size, const std::string& what) {
  std::vector<std::byte> out(size);
  z_stream z{};
  z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data()));
  z.avail_in = static_cast<uInt>(data.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(size);
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) fail(ErrorCode::kInternal, "zlib could not start");
  const int status = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  if (status != Z_STREAM_END || z.avail_out != 0) fail(ErrorCode::kBadFile, what, ": a compressed member is damaged");
  return out;
}

}  // namespace

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) fail(ErrorCode::kNotFound, "cannot read '", path, "': ", std::strerror(errno));
  std::vector<std::byte> bytes(static_cast<size_t>(std::max<std::streamoff>(in.tellg(), 0)));
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    fail(ErrorCode::kNotFound, "cannot read '", path, "': it is not a regular file, or reading failed");
  }
  return bytes;
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail(ErrorCode::kNotFound, "cannot write '", path, "': ", std::strerror(errno));
}

Tensor parse_npy(std::span<const std::byte> file, const std::string& what) {
  static constexpr char kMagic[] = "\x93NUMPY";
  if (file.size() < 12 || std::memcmp(file.data(), kMagic, 6) != 0) fail(ErrorCode::kBadFile, what, " is not an .npy file");
  const int version = std::to_integer<int>(file[6]);
  const size_t prefix = version == 1 ? 10 : 12;
  const size_t length = version == 1 ? read_as<uint16_t>(&file[8]) : read_as<uint32_t>(&file[8]);
  if (file.size() < prefix || length > file.size() - prefix) fail(ErrorCode::kBadFile, what, ": the .npy header is cut off");
  const std::string header(reinterpret_cast<const char*>(&file[prefix]), length);
  const std::string descr_text = header_field(header, "descr", what);
  const size_t quote = descr_text.find('\'');
  const size_t quote_end = quote == std::string::npos ? quote : descr_text.find('\'', quote + 1);
  if (quote_end == std::string::npos) fail(ErrorCode::kUnsupported, what, ": arrays of records are not supported");
  const std::string descr = descr_text.substr(quote + 1, quote_end - quote - 1);
  const std::string order = header_field(header, "fortran_order", what);
  const bool fortran = order.find("True") < order.find("False");
  const Shape shape = parse_shape(header_field(header, "shape", what), what);
  if (descr.size() < 3 || descr[0] == '>') fail(ErrorCode::kUnsupported, what, ": dtype '", descr, "' is not supported");
  const std::string type = descr.substr(1);
  const size_t size = static_cast<size_t>(std::atoi(type.c_str() + 1));
  const size_t wanted = static_cast<size_t>(shape.size()) * size;
  const auto data = file.subspan(prefix + length);
  if (size == 0 || data.size() != wanted) {
    fail(ErrorCode::kBadFile, what, ": shape ", shape, " of '", descr, "' needs ", wanted, " bytes, the file has ", data.size());
  }
  const std::vector<std::byte> bytes = c_order(data, shape, size, fortran);
  if (type == "f4") return Tensor::from_bytes(bytes, DType::kFloat32, shape);
  if (type == "i4") return Tensor::from_bytes(bytes, DType::kInt32, shape);
  if (type == "b1") return Tensor::from_bytes(bytes, DType::kBool, shape);
  if (type == "f8") return Tensor::from(std::span<const float>(convert<double, float>(bytes, [](double v) { return static_cast<float>(v); })), shape);
  if (type == "f2") return Tensor::from(std::span<const float>(convert<uint16_t, float>(bytes, half_to_float)), shape);
  if (type == "i8") return to_int32<int64_t>(bytes, shape, what);
  if (type == "u8") return to_int32<uint64_t>(bytes, shape, what);
  if (type == "u4") return to_int32<uint32_t>(bytes, shape, what);
  if (type == "i2") return to_int32<int16_t>(bytes, shape, what);
  if (type == "u2") return to_int32<uint16_t>(bytes, shape, what);
  if (type == "i1") return to_int32<int8_t>(bytes, shape, what);
  if (type == "u1") return to_int32<uint8_t>(bytes, shape, what);
  fail(ErrorCode::kUnsupported, what, ": dtype '", descr, "' is not supported; wanted floats, integers or bools");
}

std::vector<std::byte> to_npy(const Tensor& t) {
  const char* descr = t.dtype() == DType::kFloat32 ? "<f4" : t.dtype() == DType::kInt32 ? "<i4" : t.dtype() == DType::kBool ? "|b1" : nullptr;
  if (!descr) fail(ErrorCode::kUnsupported, "a ", name_of(t.dtype()), " tensor cannot be written as .npy");
  std::string shape = "(";
  for (int64_t d : t.shape()) shape += std::to_string(d) + ",";
  std::string header = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + "), }";
  // The format wants the data to begin at a multiple of 64.
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  const auto* p = reinterpret_cast<const std::byte*>(out.data());
  std::vector<std::byte> bytes(p, p + out.size());
  const std::vector<std::byte> data = t.to_bytes();
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

std::vector<std::pair<std::string, Tensor>> parse_npz(std::span<const std::byte> file, const std::string& what) {
  // The central directory at the end has the sizes that local headers of streamed zips leave out (PKWARE's APPNOTE, 4.3).
  size_t end = std::string::npos;
  for (size_t i = file.size() < 22 ? 0 : file.size() - 21; i-- > 0;) {
    if (read_as<uint32_t>(&file[i]) == 0x06054b50u) {
      end = i;
      break;
    }
  }
  if (end == std::string::npos) fail(ErrorCode::kBadFile, what, " is not an .npz file (no zip directory)");
  const size_t count = read_as<uint16_t>(&file[end + 10]);
  size_t at = read_as<uint32_t>(&file[end + 16]);
  std::vector<std::pair<std::string, Tensor>> out;
  for (size_t k = 0; k < count; ++k) {
    if (at + 46 > file.size() || read_as<uint32_t>(&file[at]) != 0x02014b50u) fail(ErrorCode::kBadFile, what, ": the zip directory is damaged");
    const int method = read_as<uint16_t>(&file[at + 10]);
    const size_t packed = read_as<uint32_t>(&file[at + 20]);
    const size_t size = read_as<uint32_t>(&file[at + 24]);
    const size_t name_length = read_as<uint16_t>(&file[at + 28]);
    const size_t extra = read_as<uint16_t>(&file[at + 30]) + size_t{read_as<uint16_t>(&file[at + 32])};
    const size_t local = read_as<uint32_t>(&file[at + 42]);
    if (at + 46 + name_length > file.size() || local + 30 > file.size()) fail(ErrorCode::kBadFile, what, ": the zip directory is damaged");
    std::string name(reinterpret_cast<const char*>(&file[at + 46]), name_length);
    const size_t data = local + 30 + read_as<uint16_t>(&file[local + 26]) + read_as<uint16_t>(&file[local + 28]);
    if (data > file.size() || packed > file.size() - data) fail(ErrorCode::kBadFile, what, ": member '", name, "' is cut off");
    if (method != 0 && method != 8) fail(ErrorCode::kUnsupported, what, ": member '", name, "' uses compression method ", method);
    // A member cannot unfold to more than a deflate stream can hold: 1032 times its own size.
    if (method == 8 && size / 1040 > packed) fail(ErrorCode::kBadFile, what, ": member '", name, "' claims an impossible size");
    const auto stored = file.subspan(data, packed);
    const std::vector<std::byte> bytes =
        method == 8 ? inflate_raw(stored, size, what) : std::vector<std::byte>(stored.begin(), stored.end());
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    out.emplace_back(name, parse_npy(bytes, what + "[" + name + "]"));
    at += 46 + name_length + extra;
  }
  return out;
}

}  // namespace tsr::cli
