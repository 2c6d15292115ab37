// What to warm up for a model whose weights are still to come.
#pragma once

#include <vector>

#include "formats/tfjs/manifest.h"
#include "runtime/model.h"
#include "runtime/warm.h"

namespace tsr::formats {

/// Small works that run the inner loops which this model will spend its time in. Empty for models too small to gain by it.
std::vector<WarmWork> warm_works(const ModelInfo& info, const Manifest& manifest);

}  // namespace tsr::formats
