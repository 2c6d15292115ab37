// Arrays on disk: numpy's .npy and .npz.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/tensor.h"

namespace tsr::cli {

/// The whole file. Throws kNotFound "cannot read 'x': reason".
std::vector<std::byte> read_file(const std::string& path);
/// Writes or replaces the file. Throws kNotFound "cannot write 'x': reason".
void write_file(const std::string& path, std::span<const std::byte> bytes);

/// Parses an .npy file (versions 1 to 3, C or Fortran order, little-endian). float64 becomes float32, int64 and uint32 int32 (a value
/// that does not fit is an error), int8, int16, uint8 and uint16 int32; float16 float32. `what` names the array in errors.
Tensor parse_npy(std::span<const std::byte> file, const std::string& what);
/// The .npy form of a float32, int32 or bool tensor; other dtypes throw.
std::vector<std::byte> to_npy(const Tensor& t);
/// The arrays of an .npz (a zip of .npy files, stored or deflated), by name without ".npy".
std::vector<std::pair<std::string, Tensor>> parse_npz(std::span<const std::byte> file, const std::string& what);

}  // namespace tsr::cli
