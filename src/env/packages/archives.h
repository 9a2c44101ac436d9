#pragma once

#include "env/environment_builder.h"
#include "env/install/tool_options.h"
#include "env/resolve/upload_estimator.h"
#include "store/object_store.h"

#include <memory>
#include <string>
#include <vector>

namespace kinetic::env {

struct ArchivesOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  store::Store& store;
  std::string prefix;                   ///< folder of the environment where jobs run
  std::shared_ptr<Uplink> uplink = {};  ///< PackageStore::uplink
};

/// The objects that say what is stored for a lock: one for each package, and one for all of them.
std::vector<std::string> ArchiveObjects(const Lock& lock, const std::string& prefix);

/// Keeps environments in the store, for jobs that run elsewhere: a tree for each package that was
/// ever needed, and one for each environment, of the same packs. A changed package is all that is
/// stored anew. ReadyEnvironment::tree names what a job is to unpack as its `prefix`; there it
/// becomes a virtual environment of the Python that it finds.
///
/// `options.store` outlives the builder.
std::unique_ptr<EnvironmentBuilder> MakeArchivesBuilder(ArchivesOptions options);

}  // namespace kinetic::env
