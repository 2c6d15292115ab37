// The launch that runs any group: ahead-of-time elementwise code for single ops, a tile program for the rest.
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "runtime/device.h"

namespace tsr::cpu {

std::unique_ptr<Launch> make_generic_launch(const Group& group, ThreadPool& pool);

}  // namespace tsr::cpu
