#include "jobspec/schema/foreign_keys.h"

#include <algorithm>
#include <array>

namespace kinetic::jobspec {
namespace {

struct ForeignKey {
  std::string_view path;
  std::string_view key;
  std::string_view advice;
};

constexpr std::string_view kUseRun = "use `run`";
constexpr std::string_view kUseData = "use `data: {/data: SOURCE}`";
constexpr std::string_view kUseEnv = "use `env`";
constexpr std::string_view kUseDependencies = "use `dependencies: requirements.txt`";
constexpr std::string_view kUseAccelerator = "use `accelerator`";
constexpr std::string_view kUseResources = "use `resources: {cpu: 4, memory: 8Gi}`";
constexpr std::string_view kUseTimeouts = "use `timeouts: {run: 2h}`";
constexpr std::string_view kOneMachine =
    "a job runs on one machine, or on one slice of a TPU: choose its `accelerator`";
constexpr std::string_view kKubernetes =
    "this is a Kubernetes manifest; a job file has keys such as `run` and `accelerator`, and `pod` "
    "for "
    "fields of the pod";
constexpr std::string_view kUseTarget = "the profile specifies where a job runs: use `target`";

constexpr std::array<ForeignKey, 43> kForeignKeys{{
    // SkyPilot
    {"", "setup", "use `dependencies` for packages, and put other commands at the start of `run`"},
    {"", "file_mounts", kUseData},
    {"", "envs", kUseEnv},
    {"", "num_nodes", kOneMachine},
    {"resources", "accelerators", "use `accelerator` at the top level"},
    {"resources", "gpu", "use `accelerator` at the top level"},
    {"resources", "gpus", "use `accelerator` at the top level"},
    {"resources", "use_spot", "use `spot: true` at the top level"},
    {"resources", "cpus", "use `cpu`"},
    {"resources", "disk_size", "use `disk: 100Gi`"},
    {"resources", "image_id", "use `image` at the top level"},
    {"resources", "cloud", kUseTarget},
    {"resources", "infra", kUseTarget},
    {"resources", "region", kUseTarget},
    {"resources", "zone", kUseTarget},
    {"resources", "instance_type", kUseTarget},
    {"resources", "any_of", "use a list of accelerators at the top level"},
    // Docker Compose
    {"", "command", kUseRun},
    {"", "entrypoint", kUseRun},
    {"", "services", "a job file describes one job; use `run`"},
    {"", "volumes", kUseData},
    {"", "environment", kUseEnv},
    // Kubernetes
    {"", "apiVersion", kKubernetes},
    {"", "kind", kKubernetes},
    {"", "metadata", kKubernetes},
    {"", "spec", kKubernetes},
    {"resources", "limits", "use `cpu` and `memory`"},
    {"resources", "requests", "use `cpu` and `memory`"},
    // Slurm and others
    {"", "script", kUseRun},
    {"", "cmd", kUseRun},
    {"", "nodes", kOneMachine},
    {"", "packages", kUseDependencies},
    {"", "requirements", kUseDependencies},
    {"", "pip", kUseDependencies},
    {"", "channels",
     "conda environments are not supported; list the packages in requirements.txt and use "
     "`dependencies`"},
    {"", "gpu", kUseAccelerator},
    {"", "gpus", kUseAccelerator},
    {"", "cpus", kUseResources},
    {"", "memory", kUseResources},
    {"", "time", kUseTimeouts},
    {"", "timeout", kUseTimeouts},
    {"", "schedule", "kinetic has no scheduler; run 'kinetic run' from cron or a CI service"},
    {"", "outputs", "the program writes its outputs to the folder $KINETIC_OUTPUT_DIR"},
}};

}  // namespace

std::string_view ForeignKeyAdvice(std::string_view path, std::string_view key) {
  const auto* const found = std::ranges::find_if(kForeignKeys, [&](const ForeignKey& foreign) {
    return foreign.path == path && foreign.key == key;
  });
  return found == kForeignKeys.end() ? std::string_view() : found->advice;
}

}  // namespace kinetic::jobspec
