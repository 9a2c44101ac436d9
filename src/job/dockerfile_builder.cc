#include "job/dockerfile_builder.h"

#include "cloud/registry_logins.h"
#include "env/container_engine.h"
#include "job/cloud_builder.h"
#include "job/image_registries.h"
#include "job/tools.h"

#include <stop_token>
#include <utility>

namespace kinetic::job {
namespace {

/// An engine, with the logins that it is shown.
class Engine final : public env::DockerfileBuilder {
 public:
  explicit Engine(const Context& context)
      : logins_(RegistryOptionsOf(context),
                {.fs = context.fs, .clock = context.clock, .log = context.options.log}),
        engine_(
            env::MakeContainerEngine({.tools = ToolsOf(context),
                                      .engine = context.options.profile.kubernetes.container_engine,
                                      .logins = logins_,
                                      .docker_config = context.options.docker_config})) {}

  Status Build(const env::ImageOrder& order, Observer* observer, std::stop_token stop) override {
    return engine_->Build(order, observer, std::move(stop));
  }

 private:
  cloud::RegistryLogins logins_;
  std::unique_ptr<env::DockerfileBuilder> engine_;
};

}  // namespace

std::unique_ptr<env::DockerfileBuilder> DockerfileBuilderFor(const Context& context) {
  if (context.options.profile.kubernetes.environments == EnvironmentForm::kCloudBuild) {
    return CloudBuilderFor(context);
  }
  return std::make_unique<Engine>(context);
}

}  // namespace kinetic::job
