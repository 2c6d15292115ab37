// The description of a model that tsr_model_info gives.
#pragma once

#include <string>

#include "runtime/model.h"

namespace tsr::capi {

/// JSON as documented at tsr_model_info in tessera.h.
std::string model_info_json(const Model& model);

}  // namespace tsr::capi
