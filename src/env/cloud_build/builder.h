#pragma once

#include "kinetic/result.h"

#include "env/dockerfile/builder.h"
#include "env/tool_options.h"
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
  /// Store in a bucket, for the build's source and log. Outlives the builder.
  store::Store& store;
  /// Opens a transport to Google's servers with the caller's credential. Outlives what it opens.
  std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)> connect;
  google::CloudBuildOptions service;
  std::string machine;          ///< "E2_HIGHCPU_8"; empty: Cloud Build's smallest
  std::string service_account;  ///< e-mail address; empty: the project's default
  std::chrono::minutes timeout{60};
};

/// Returns a builder that runs Dockerfiles on Google Cloud Build. Clients of one store that request
/// the same image at the same time share one build, found by its tag. A stopped client cancels only
/// the build that it started; if a client is killed, the build continues for the next client.
///
/// @errors  of Build, besides those of DockerfileBuilder: kFailedPrecondition (the store is not
///          in a bucket) · those of CloudBuildStatus, UploadBuildSource and google::CloudBuild.
/// @source  https://cloud.google.com/build/docs/building/build-containers
std::unique_ptr<DockerfileBuilder> MakeCloudBuilder(CloudBuilderOptions options);

}  // namespace kinetic::env
