#pragma once

#include "kinetic/client.h"

#include <optional>
#include <string>

namespace kinetic::cli {

struct Context;

/// Returns advice about a function that did not find a file, if the file exists here and an ignore
/// rule excludes it from the bundle.
std::optional<std::string> AdviceOnMissingFile(const Outcome& outcome, const JobSpec& spec,
                                               Client& client, const Context& context);

}  // namespace kinetic::cli
