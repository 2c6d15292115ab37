// Model: a graph with names, ready to run. Format loaders (src/formats/) make the Graph and hand it over. The class is
// public and declared in tessera/model.h; this header completes the types it speaks of.
#pragma once

#include "graph/graph.h"     // IWYU pragma: export
#include "runtime/engine.h"  // IWYU pragma: export
#include "tessera/model.h"   // IWYU pragma: export
