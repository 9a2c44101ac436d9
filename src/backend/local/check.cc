#include "backend/local/target.h"
#include "backend/spec_check.h"

#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

bool AsksForAccelerator(const JobSpec& spec) {
  for (const auto& accelerator : spec.accelerators) {
    if (accelerator.kind == AcceleratorKind::kCpu) return false;
  }
  return !spec.accelerators.empty();
}

void CheckLocalData(const JobSpec& spec, Limitations& found) {
  for (const auto& [path, data] : spec.data) {
    const std::string key = "data." + path;
    if (data.mount) {
      found.Refuse(true, key, "'mode: mount' is not supported yet; use 'mode: copy'");
    } else if (Path(path).is_absolute() && !IsReferredTo(spec.args, path)) {
      // The data is in a folder of the job instead, which only path arguments refer to.
      found.Refuse(
          true, key,
          "the local target cannot mount data at an absolute path; pass it as an argument: "
          "{$path: " +
              path + "}");
    }
  }
}

}  // namespace

std::vector<Limitation> CheckSpecForLocal(const JobSpec& spec) {
  Limitations found;
  found.Ignore(AsksForAccelerator(spec), "accelerator",
               "the local target uses only the CPUs of this machine");
  found.Refuse(!spec.steps.IsNull(), "steps", "pipelines are not supported yet");
  found.Refuse(spec.image.has_value(), "image", "the local target does not run container images");
  CheckLocalData(spec, found);
  found.Ignore(spec.resources.cpu.has_value(), "resources.cpu",
               "the job may use all CPUs of this machine");
  found.Ignore(spec.resources.disk_bytes.has_value(), "resources.disk",
               "the job may use all of the available disk");
  found.Ignore(spec.resources.shm_bytes.has_value(), "resources.shm",
               "the job may use all of the available shared memory");
  found.Ignore(spec.spot, "spot", "the local target has no spot machines");
  found.Refuse(spec.slices > 1, "slices", "more than one slice is not supported yet");
  found.Refuse(spec.array.has_value(), "array", "array jobs are not supported yet");
  found.Refuse(!spec.max_cost.empty(), "max_cost", "cost limits are not supported yet");
  found.Ignore(!spec.queue.empty(), "queue", "the local target has one queue");
  found.Ignore(!spec.pod.IsNull(), "pod", "the local target does not use pods");
  return found.Take();
}

}  // namespace kinetic::backend
