#pragma once

#include "env/environment_builder.h"
#include "env/packages/upload_estimator.h"
#include "env/tool_options.h"
#include "store/object_store.h"

#include <memory>
#include <string>
#include <vector>

namespace kinetic::env {

struct ArchivesOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  store::Store& store;
  std::string prefix;  ///< folder of the environment where jobs run
  std::shared_ptr<UploadEstimator> upload_estimator = {};  ///< PackageStore::upload_estimator
};

/// Returns the names of the objects that describe a lock's packages: one for each package, and one
/// for their union.
std::vector<std::string> ArchiveObjects(const Lock& lock, const std::string& prefix);

/// Returns a builder that stores environments for jobs on other machines: a tree for each package
/// and one for each environment, which share their packs. If one package changes, only its content
/// is uploaded again. Jobs unpack ReadyEnvironment::tree as `prefix`, where it becomes a
/// virtual environment of the Python found there.
///
/// `options.store` must outlive the builder.
std::unique_ptr<EnvironmentBuilder> MakeArchivesBuilder(ArchivesOptions options);

}  // namespace kinetic::env
