#pragma once

#include "kinetic/job_file.h"

#include "jobspec/diagnostics.h"
#include "json/yaml.h"

namespace kinetic::jobspec {

/// Applies options to the tree: the command, then `set`, `args` and `env`. Their nodes are marked, so
/// messages name "--set resources.memory" instead of a line.
void ApplyOverlays(json::YamlNode& root, const JobFileOptions& options, Diagnostics& diagnostics);

}  // namespace kinetic::jobspec
