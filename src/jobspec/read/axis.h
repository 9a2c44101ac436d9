#pragma once

#include "jobspec/read/context.h"
#include "json/parse.h"

#include <optional>
#include <string>

namespace kinetic::jobspec {

/// Reads the values of one name of a grid: a list, `{range: N}`, `{range: [FIRST, LAST]}`, `1..5`, or a
/// reference to a list. In a list, `1..5` stands for its integers.
///
/// @param where  for messages and positions: "array.over.lr".
/// @returns      one value or more; nullopt after an error.
std::optional<Value::List> ReadAxis(const json::YamlNode& node, const std::string& where,
                                    ReadContext& context, ArgumentReader& reader);

}  // namespace kinetic::jobspec
