#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/result.h"

#include "context.h"

#include <optional>
#include <string>

namespace kinetic::cli {

/// Returns the cluster that the settings and kinetic.yaml describe. Options override settings,
/// which override the file.
///
/// @param file  "kinetic.yaml" of the current directory if nullopt; need not exist then.
Result<ClusterSpec> ClusterSpecOf(const std::optional<std::string>& file, const Context& context);
/// Same, without the location of the profile: the cluster may not exist any more.
Result<ClusterSpec> NewClusterSpecOf(const std::optional<std::string>& file,
                                     const Context& context);

/// Adds --file to a command.
void AddClusterFileOption(Command& command, std::optional<std::string>& file);

/// Returns credentials, the programs of the runner image, and registry logins.
ClusterAdminOptions ClusterAdminOptionsOf(const Context& context);
/// Same, with other settings than those of the context.
ClusterAdminOptions ClusterAdminOptionsOf(const Context& context, const Settings& settings);

}  // namespace kinetic::cli
