#include "provision/cluster_access.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "kube/object.h"
#include "kube/resource.h"
#include "provision/profile.h"

#include <utility>

namespace kinetic::provision {
namespace {

bool HasEnded(const Value& job) {
  const Value* conditions = kube::At(job, {"status", "conditions"});
  if (conditions == nullptr || conditions->AsList() == nullptr) return false;
  for (const Value& condition : *conditions->AsList()) {
    const std::string_view type = kube::TextAt(condition, {"type"});
    const bool is_true = kube::TextAt(condition, {"status"}) == "True";
    if (is_true && (type == "Complete" || type == "Failed")) return true;
  }
  return false;
}

}  // namespace

ClusterAccess::ClusterAccess(connect::Cluster cluster)
    : cluster_(std::move(cluster)),
      client_(*cluster_.transport, SystemClock(), {.server = cluster_.server}) {}

Result<ClusterAccess> ClusterAccess::Open(const Scope& scope, const ClusterAdminOptions& options,
                                          std::stop_token stop) {
  connect::ClusterOptions cluster_options;
  cluster_options.kind = TargetKind::kGke;
  cluster_options.profile = ProfileOf(scope, "").kubernetes;
  cluster_options.cloud = options.cloud;
  const connect::Dependencies deps{
      .fs = PosixFileSystem(), .clock = SystemClock(), .log = options.log};
  KINETIC_ASSIGN_OR_RETURN(connect::Cluster cluster,
                           connect::OpenCluster(cluster_options, deps, std::move(stop)));
  return ClusterAccess(std::move(cluster));
}

Result<std::vector<std::string>> ListRunningJobs(const ClusterAccess& cluster,
                                                 std::stop_token stop) {
  std::vector<std::string> names;
  const auto add = [&](const Value& job) -> Status {
    if (!HasEnded(job)) names.emplace_back(kube::NameOf(job));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(cluster.client().List(
      kube::kJobs, kNamespace, {.label_selector = "kinetic.dev/job-id"}, add, std::move(stop)));
  return names;
}

}  // namespace kinetic::provision
