// How tall the register tiles of matrix products may be, where the host knows better than the instruction set.
#pragma once

#include <atomic>

namespace tsr {

/// Rows; 0 for as many as the instruction set's registers hold. Set by a host whose compiler spills the
/// registers of taller tiles (V8 before 13.6 takes twice the time for 5 rows of WebAssembly SIMD that it needs for 4).
inline std::atomic<int> g_tile_row_limit{0};

}  // namespace tsr
