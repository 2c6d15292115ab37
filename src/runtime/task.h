// Task: resumable work of the engine. Advancing it never blocks on a GPU and can be cut into slices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "tessera/tensor.h"

namespace tsr {

class Task {
 public:
  virtual ~Task() = default;
  /// Goes on until done, waiting or past the deadline. Throws Error when the work failed; it is over then.
  virtual Progress advance(const Deadline& deadline) = 0;
};

}  // namespace tsr
