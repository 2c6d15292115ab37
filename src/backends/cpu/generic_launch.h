// The launch that runs any group: ahead-of-time code for elementwise ops, a tile program for the rest.
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "runtime/device.h"

namespace tsr::cpu {

std::unique_ptr<Launch> make_generic_launch(const Group& group, ThreadPool& pool);

}  // namespace tsr::cpu
