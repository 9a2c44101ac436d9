#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "env/environment_builder.h"
#include "env/lock.h"
#include "env/tool_options.h"

#include <memory>
#include <string>
#include <string_view>

namespace kinetic::env {

struct VirtualenvOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
};

/// Returns a builder that keeps one virtual environment for each environment id in
/// {cache_dir}/environments/{id}: created in a temporary folder, sealed and renamed, by one process
/// at a time. It links to package sets. An empty lock gets an empty environment, which hides the
/// packages of the machine's Python. An environment that was changed is built again.
std::unique_ptr<EnvironmentBuilder> MakeVirtualenvBuilder(VirtualenvOptions options);

}  // namespace kinetic::env
