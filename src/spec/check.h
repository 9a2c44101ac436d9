#pragma once

#include "kinetic/job_spec.h"

#include "json/yaml.h"
#include "spec/diagnostics.h"
#include "spec/shape.h"

#include <map>
#include <string>

namespace kinetic::spec {

/// Looks at what is wrong in any YAML of ours, whatever its keys: nesting deeper than 100 levels,
/// keys that are no strings, duplicate keys, merge keys, quotes that are never closed. Moves the
/// place of an absent value to its key.
///
/// @returns  whether the tree is shallow enough for anybody to walk it.
bool CheckTree(json::YamlNode& root, Diagnostics& diagnostics);

using Positions = std::map<std::string, SourcePosition>;

/// Checks a tree against a shape, and notes where each key was written ("resources.memory").
void CheckShape(const json::YamlNode& root, const Shape& shape, Diagnostics& diagnostics,
                Positions& positions);

}  // namespace kinetic::spec
