#include "backend/local/target.h"
#include "backend/spec_check.h"
#include "base/strings.h"
#include "local/private_mounts.h"
#include "record/path_references.h"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// A job that lists `cpu` as an alternative can run here.
void CheckAccelerator(const JobSpec& spec, Limitations& found) {
  for (const auto& accelerator : spec.accelerators) {
    if (accelerator.kind == AcceleratorKind::kCpu) return;
  }
  if (spec.accelerators.empty()) return;
  found.Refuse(true, "accelerator",
               "the local target has no " + spec.accelerators.front().name +
                   "; it uses only the CPUs of this machine",
               "to try the job here, pass --accelerator cpu; to run it on a cluster, pass --target "
               "with the cluster's profile ('kinetic profile create' creates one)");
}

/// Returns the memory of this machine.
std::uint64_t MachineMemoryBytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void CheckMemory(const JobSpec& spec, Limitations& found) {
  const std::uint64_t available = MachineMemoryBytes();
  found.Ignore(spec.resources.memory_bytes.value_or(0) > available, "resources.memory",
               "this machine has only " + FormatBytes(available));
}

/// Data that no path argument refers to must be at its path.
void CheckLocalData(const JobSpec& spec, Limitations& found) {
  for (const auto& [path, data] : spec.data) {
    const std::string key = "data." + path;
    if (data.mount) {
      found.Refuse(true, key, "'mode: mount' is not supported yet; use 'mode: copy'");
    } else if (Path(path).is_absolute() && !record::IsReferredTo(spec.args, path)) {
      const Status allowed = local::CheckMounts(PosixFileSystem(), {path});
      if (allowed) continue;
      found.Refuse(true, key, allowed.error().message,
                   "pass the data as an argument instead, {$path: " + path +
                       "}, which is a path in the job; a cluster mounts it");
    }
  }
}

}  // namespace

std::vector<Limitation> CheckSpecForLocal(const JobSpec& spec) {
  Limitations found;
  CheckAccelerator(spec, found);
  found.Refuse(!spec.steps.IsNull(), "steps", "pipelines are not supported yet");
  found.Ignore(spec.image.has_value(), "image",
               "the local target runs the job with the programs and packages of this machine");
  CheckLocalData(spec, found);
  found.Ignore(spec.resources.cpu.has_value(), "resources.cpu",
               "the job may use all CPUs of this machine");
  CheckMemory(spec, found);
  found.Ignore(spec.resources.disk_bytes.has_value(), "resources.disk",
               "the job may use all of the available disk");
  found.Ignore(spec.resources.shm_bytes.has_value(), "resources.shm",
               "the job may use all of the available shared memory");
  found.Ignore(spec.spot, "spot", "the local target has no spot machines");
  found.Ignore(spec.flex_start, "flex_start", "the local target has no flex-start machines");
  found.Ignore(!spec.reservation.empty(), "reservation", "the local target has no reservations");
  found.Refuse(spec.slices > 1, "slices", "more than one slice is not supported yet");
  found.Ignore(!spec.max_cost.empty(), "max_cost", "jobs on this machine cost nothing");
  found.Ignore(!spec.queue.empty(), "queue", "the local target has one queue");
  found.Ignore(!spec.pod.IsNull(), "pod", "the local target does not use pods");
  return found.Take();
}

}  // namespace kinetic::backend
