// tessera_gen: prints, from the op registry, everything that is known about ops in other languages. Its outputs are
// checked in, so that reading and reviewing them needs no build; a test compares them with what the registry says
// today.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/op_def.h"

namespace tsr::gen {

/// The ops that get public wrappers, sorted by name.
std::vector<const OpDef*> public_ops();

/// "depthwiseConv2d" -> "depthwise_conv2d", "gatherND" -> "gather_nd"; a name that is a C++ keyword gets a trailing
/// underscore.
std::string snake_case(std::string_view name);
/// A JavaScript identifier: reserved words get a trailing underscore, dots become underscores.
std::string js_name(std::string_view name);

/// The value a field has in a default-made attribute struct.
AttrValue default_of(const OpDef& op, const AttrField& field);
/// Shortest decimal text that reads back as the same double ("0.5", "1e-05"); nan and inf as they are.
std::string number(double v);

/// Parameters are the inputs, then the attributes, in the order of the definition. One without a default forces those
/// before it to have none in the signature either: returns how many parameters at the front are without.
int params_without_default(const OpDef& op);

/// Text broken into lines of at most `width`, each starting with `prefix`.
std::string wrap(std::string_view text, std::string_view prefix, size_t width = 118);

std::string cpp_header();      ///< include/tessera/ops.h
std::string cpp_source();      ///< src/ops/ops_api.cc
std::string js_module();       ///< js/generated/ops.mjs
std::string js_types();        ///< js/generated/ops.d.ts
std::string reference_page();  ///< docs/ops.md

}  // namespace tsr::gen
