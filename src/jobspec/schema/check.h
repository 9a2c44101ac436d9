#pragma once

#include "kinetic/job_spec.h"

#include "jobspec/diagnostics.h"
#include "jobspec/schema/shape.h"
#include "json/parse.h"

#include <map>
#include <string>

namespace kinetic::jobspec {

/// Checks the rules for any YAML of kinetic: nesting of at most 100 levels, string keys, no
/// duplicate keys, no merge keys, closed quotes. Moves the position of an empty value to its key.
///
/// @returns  whether the tree can be walked recursively.
bool CheckTree(json::YamlNode& root, Diagnostics& diagnostics);

using Positions = std::map<std::string, SourcePosition>;

/// Checks a tree against a shape and records the position of each key ("resources.memory").
void CheckShape(const json::YamlNode& root, const Shape& shape, Diagnostics& diagnostics,
                Positions& positions);

}  // namespace kinetic::jobspec
