// Tensors written into a Const node itself (TensorFlow's TensorProto), as models kept in memory and hand-made ones have
// them; files from the converter keep them in the weight shards instead.
#pragma once

#include "formats/tfjs/graphdef.h"
#include "formats/tfjs/weights.h"

namespace tsr::formats {

/// True when the node carries its value.
bool has_value(const TfNode& node);
/// The value. Throws kBadFile when it is malformed or has another length than its shape says.
Weight value_of_const(const TfNode& node);

}  // namespace tsr::formats
