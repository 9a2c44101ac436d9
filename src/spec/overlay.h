#pragma once

#include "kinetic/job_file.h"

#include "json/yaml.h"
#include "spec/diagnostics.h"

namespace kinetic::spec {

/// Puts into the tree what the command line adds: the command, then `set`, `args` and `env`. Their
/// nodes are marked, so that messages say "--set resources.memory" instead of a line.
void ApplyOverlays(json::YamlNode& root, const JobFileOptions& options, Diagnostics& diagnostics);

}  // namespace kinetic::spec
