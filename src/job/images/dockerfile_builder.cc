#include "connect/registry.h"
#include "env/dockerfile/container_engine.h"
#include "job/context.h"
#include "job/environment/image_registries.h"
#include "job/images/job_dockerfile.h"

#include <stop_token>
#include <utility>

namespace kinetic::job {
namespace {

/// A container engine, with registry logins.
class Engine final : public env::DockerfileBuilder {
 public:
  explicit Engine(const Context& context)
      : logins_(RegistryOptionsOf(context),
                {.fs = context.fs, .clock = context.clock, .log = context.options.log}),
        engine_(
            env::MakeContainerEngine({.tools = ToolOptionsOf(context),
                                      .engine = context.options.profile.kubernetes.container_engine,
                                      .logins = logins_,
                                      .docker_config = context.options.docker_config})) {}

  Status Build(const env::ImageBuildRequest& build_request, Observer* observer,
               std::stop_token stop) override {
    return engine_->Build(build_request, observer, std::move(stop));
  }

 private:
  connect::RegistryLogins logins_;
  std::unique_ptr<env::DockerfileBuilder> engine_;
};

}  // namespace

std::unique_ptr<env::DockerfileBuilder> DockerfileBuilderFor(const Context& context) {
  if (context.options.profile.kubernetes.container_engine == ContainerEngine::kCloudBuild) {
    return CloudBuilderFor(context);
  }
  return std::make_unique<Engine>(context);
}

}  // namespace kinetic::job
