// The public header, under the name that the layers of src/ use.
#pragma once

#include "tessera/error.h"  // IWYU pragma: export
