// The names of TensorFlow ops' outputs, which function bodies use instead of numbers ("split:output:2").
#pragma once

#include <cstdint>
#include <string_view>

namespace tsr::formats {

/// The number of the first output that bears `name`; 0 for ops with one output (or one list of outputs), whatever it is
/// called.
uint32_t first_output_named(std::string_view op, std::string_view name);

}  // namespace tsr::formats
