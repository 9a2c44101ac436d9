#include "connect/lazy_connection.h"
#include "env/cloud_build/builder.h"
#include "job/context.h"
#include "job/images/job_dockerfile.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

/// Treats the build endpoint as the storage endpoint, so that the choice of credentials depends on
/// the build server and not on the bucket.
CloudOptions WithStorageEndpoint(const std::string& endpoint, CloudOptions options) {
  options.storage_endpoint = endpoint;
  return options;
}

/// Converts "e2-highcpu-8" to "E2_HIGHCPU_8".
std::string MachineType(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    if (c == '-') return '_';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

google::CloudBuildOptions ServiceOf(const ClusterProfile& cluster) {
  google::CloudBuildOptions service;
  service.project = cluster.project;
  if (!cluster.cloud_build.region.empty()) service.region = cluster.cloud_build.region;
  if (!cluster.cloud_build.endpoint.empty()) service.endpoint = cluster.cloud_build.endpoint;
  return service;
}

/// Cloud Build, with its connection.
class CloudBuilder final : public env::DockerfileBuilder {
 public:
  explicit CloudBuilder(const Context& context)
      : cloud_(WithStorageEndpoint(ProfileOf(context).cloud_build.endpoint, context.options.cloud),
               {.fs = context.fs, .clock = context.clock, .log = context.options.log}),
        builder_(env::MakeCloudBuilder(
            {.tools = ToolOptionsOf(context),
             .store = *context.store,
             .connect = cloud_.Opener(),
             .service = ServiceOf(ProfileOf(context)),
             .machine = MachineType(ProfileOf(context).cloud_build.machine),
             .service_account = ProfileOf(context).cloud_build.service_account,
             .timeout = ProfileOf(context).cloud_build.timeout})) {}

  Status Build(const env::ImageBuildRequest& build_request, Observer* observer,
               std::stop_token stop) override {
    return builder_->Build(build_request, observer, std::move(stop));
  }

 private:
  static const ClusterProfile& ProfileOf(const Context& context) {
    return context.options.profile.kubernetes;
  }

  connect::LazyConnection cloud_;
  std::unique_ptr<env::DockerfileBuilder> builder_;
};

}  // namespace

std::unique_ptr<env::DockerfileBuilder> CloudBuilderFor(const Context& context) {
  return std::make_unique<CloudBuilder>(context);
}

}  // namespace kinetic::job
