#include "backend/kubernetes/manifest/cost_limit.h"
#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/placement.h"
#include "backend/kubernetes/manifest/pod_fields.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "backend/spec_check.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

void CheckAccelerators(const JobSpec& spec, Limitations& found) {
  for (const auto& accelerator : spec.accelerators) {
    found.Refuse(accelerator.hosts > 1, "accelerator",
                 accelerator.name + " spans " + std::to_string(accelerator.hosts) + " machines (" +
                     accelerator.topology + ", " + accelerator.machine_type +
                     "); only single-machine accelerators are supported");
  }
}

void CheckArray(const JobSpec& spec, Limitations& found) {
  if (!spec.array) return;
  // The pods of some tasks may already run when that of another finds no node.
  found.Refuse(spec.accelerators.size() > 1, "accelerator",
               "the tasks of an array cannot change their accelerator; list one");
}

void CheckEnvironment(const JobSpec& spec, const ClusterProfile& cluster, Limitations& found) {
  const DependencySpec& dependencies = spec.dependencies;
  const bool named =
      dependencies.file || !dependencies.extras.empty() || !dependencies.groups.empty();
  found.Ignore(named && spec.image, "dependencies",
               "the job sets its own image, which is used unchanged");
  found.Ignore(!spec.python.empty() && spec.image, "python", "the job's image has its own Python");
  found.Refuse(
      spec.image && !spec.image->dockerfile.empty() && cluster.environment_images.empty(),
      "image.dockerfile",
      "the profile sets no repository for built images (environment_images); set one, or set "
      "'image' to an image in a registry");
}

/// Data here would hide the programs and libraries of the image.
bool IsSystemFolder(std::string_view path) {
  constexpr std::array<std::string_view, 13> kFolders{
      "/bin",     "/sbin",     "/lib",     "/lib32", "/lib64", "/etc",      "/usr",
      "/usr/bin", "/usr/sbin", "/usr/lib", "/var",   "/run",   "/usr/local"};
  return std::ranges::find(kFolders, path) != kFolders.end();
}

void CheckPodData(const JobSpec& spec, Limitations& found) {
  for (const auto& [path, data] : spec.data) {
    const std::string key = "data." + path;
    if (data.mount) {
      found.Refuse(true, key, "'mode: mount' is not supported yet; use 'mode: copy'");
    } else {
      const bool is_reserved = std::filesystem::path(path).is_absolute() && IsReservedPath(path);
      found.Refuse(is_reserved || IsSystemFolder(path), key,
                   "the path is reserved in the container");
    }
  }
}

/// Merges the pod fields into a draft of the pod for the first accelerator, because the job has no
/// record yet. Changes to the chips of other accelerators are found when the Job is built.
void CheckPodFields(const JobSpec& spec, const ClusterProfile& cluster, Limitations& found) {
  if (spec.pod.IsNull() || spec.accelerators.empty()) return;
  record::Record draft;
  draft.spec = spec;
  for (const auto& name : spec.secrets) {
    if (name.find_first_of("*?") == std::string::npos) draft.secret_names.push_back(name);
  }
  const ManifestRequest request{.record = &draft, .collect = {}, .cluster = cluster};
  const Placement placement = PlacementOf(spec, spec.accelerators.front());
  const auto plain = PodTemplate(request, placement, "kinetic");
  if (!plain) return found.Refuse(true, "pod", plain.error().message);
  PodFields fields = MergePodFields(*plain, spec.pod);
  const Value* host = FindAt(fields.merged, {"spec", "hostNetwork"});
  // Such a pod reaches the metadata server of the node instead of that of GKE.
  found.Refuse(
      !cluster.project.empty() && host != nullptr && *host == Value(true),
      PlaceIn(spec.pod, {"spec", "hostNetwork"}),
      "on GKE, the pod would get the identity of the node, which has no access to the store");
  for (auto& problem : fields.problems) {
    found.Refuse(true, std::move(problem.key), std::move(problem.reason));
  }
}

void CheckCost(const JobSpec& spec, const ClusterProfile& cluster, const Prices& prices,
               Limitations& found) {
  if (spec.max_cost.empty()) return;
  const auto limit = CostLimit(spec, cluster, prices);
  if (!limit) found.Refuse(true, "max_cost", limit.error().message, limit.error().hint);
}

}  // namespace

std::vector<Limitation> CheckSpecForKubernetes(const JobSpec& spec, const ClusterProfile& cluster,
                                               const Prices& prices) {
  Limitations found;
  CheckAccelerators(spec, found);
  found.Refuse(spec.spot + spec.flex_start + !spec.reservation.empty() > 1, "spot",
               "spot, flex_start and reservation exclude each other; keep one of them");
  found.Refuse(!spec.steps.IsNull(), "steps", "pipelines are not supported yet");
  CheckEnvironment(spec, cluster, found);
  CheckPodData(spec, found);
  found.Refuse(spec.slices > 1, "slices", "more than one slice is not supported yet");
  CheckArray(spec, found);
  CheckCost(spec, cluster, prices, found);
  found.Refuse(
      !spec.queue.empty() && LabelValue(spec.queue) != spec.queue, "queue",
      "not a valid LocalQueue name: expected at most 63 letters, digits, '-', '_' and '.'");
  CheckPodFields(spec, cluster, found);
  return found.Take();
}

}  // namespace kinetic::backend
