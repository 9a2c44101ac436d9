#pragma once

#include "kinetic/result.h"

#include "env/dockerfile/builder.h"
#include "env/install/tool_options.h"
#include "google/cloud_build/client.h"
#include "http/transport.h"
#include "store/object_store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::env {

struct CloudBuilderOptions {
  ToolOptions tools;
  /// Where source and log lie; in a bucket. Outlives the builder.
  store::Store& store;
  /// The way to Google's servers with the caller's credential; outlives what it opens.
  std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)> connect;
  google::CloudBuildOptions service;
  std::string machine;          ///< "E2_HIGHCPU_8"; empty: Cloud Build's smallest
  std::string service_account;  ///< e-mail address; empty: the project's own
  std::chrono::minutes timeout{60};
};

/// Has images made by Google's Cloud Build. Clients with one store that want the same image at the
/// same time follow one build: builds have a tag that says what they are of. Who is stopped while
/// it waits cancels the build that it began, and no other; one that is killed leaves it running,
/// for the next one to follow.
///
/// @errors  of Build, besides those of DockerfileBuilder: kFailedPrecondition (the store is not
///          in a bucket) · those of OutcomeOf, StoreCloudSource and google::CloudBuild.
/// @source  https://cloud.google.com/build/docs/building/build-containers
std::unique_ptr<DockerfileBuilder> MakeCloudBuilder(CloudBuilderOptions options);

}  // namespace kinetic::env
