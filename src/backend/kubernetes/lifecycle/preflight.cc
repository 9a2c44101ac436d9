#include "kinetic/try.h"

#include "backend/kubernetes/lifecycle/start.h"
#include "base/concurrency/parallel.h"
#include "kube/object.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::string_view kEnforceLabel = "pod-security.kubernetes.io/enforce";

class Checks {
 public:
  Checks(const kube::Client& client, std::string_view name_space, const ClusterProfile& profile)
      : client_(client), name_space_(name_space), profile_(profile) {}

  Status Version(const std::stop_token& stop) const {
    KINETIC_ASSIGN_OR_RETURN(const kube::Version version, client_.GetServerVersion(stop));
    if (version.major > 1 || version.minor >= kOldestMinor) return {};
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the cluster runs Kubernetes {}, which is too old: kinetic's pods need "
                            "1.{} or newer",
                            version.git_version, kOldestMinor),
                "upgrade the cluster, or use another one: kinetic run --target PROFILE");
  }

  Status Namespace(const std::stop_token& stop) {
    const auto found = client_.Get(kube::kNamespaces, "", name_space_, stop);
    if (!found) return IgnoreDenied(found.error());
    if (!*found) {
      return Fail(ErrorCode::kNotFound, "the cluster has no namespace " + name_space_,
                  "create it: kubectl create namespace " + name_space_ +
                      ", or set another namespace in the profile");
    }
    capabilities_.restricted =
        kube::TextAt(**found, {"metadata", "labels", kEnforceLabel}) == "restricted";
    return {};
  }

  Status ServiceAccount(const std::stop_token& stop) const {
    if (profile_.service_account.empty()) return {};
    const auto found =
        client_.Get(kube::kServiceAccounts, name_space_, profile_.service_account, stop);
    if (!found) return IgnoreDenied(found.error());
    if (*found) return {};
    return Fail(ErrorCode::kNotFound,
                fmt::format("namespace {} has no service account {}", name_space_,
                            profile_.service_account),
                fmt::format("create it: kubectl create serviceaccount {} -n {}, or set another "
                            "service account in the profile",
                            profile_.service_account, name_space_));
  }

  Status CreatePermission(const std::stop_token& stop) const {
    const kube::Permission question{
        .name_space = name_space_, .verb = "create", .group = "batch", .resource = "jobs"};
    const auto access = client_.CheckPermission(question, stop);
    if (!access) return IgnoreDenied(access.error());
    if (access->allowed) return {};
    const auto account = client_.GetUserName(stop);
    const std::string who = account ? *account : "this account";
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("{} cannot create jobs.batch in namespace {}", who, name_space_),
                "ask an administrator to grant it: " +
                    kube::GrantCommand(question, account ? *account : ""));
  }

  const NamespaceCapabilities& capabilities() const { return capabilities_; }

 private:
  /// Accounts without permission for a check may still create jobs.
  static Status IgnoreDenied(const Error& error) {
    if (error.code == ErrorCode::kPermissionDenied) return {};
    return Failure(error);
  }

  const kube::Client& client_;
  const std::string name_space_;
  const ClusterProfile& profile_;
  NamespaceCapabilities capabilities_;
};

}  // namespace

Result<NamespaceCapabilities> CheckNamespace(const kube::Client& client,
                                             std::string_view name_space,
                                             const ClusterProfile& profile, std::stop_token stop) {
  Checks checks(client, name_space, profile);
  const std::array<std::function<Status(const std::stop_token&)>, 4> parts{
      [&](const std::stop_token& s) { return checks.Version(s); },
      [&](const std::stop_token& s) { return checks.Namespace(s); },
      [&](const std::stop_token& s) { return checks.ServiceAccount(s); },
      [&](const std::stop_token& s) { return checks.CreatePermission(s); }};
  KINETIC_RETURN_IF_ERROR(ParallelFor(parts.size(), parts.size(), stop,
                                      [&](std::size_t part, const std::stop_token& part_stop) {
                                        return parts.at(part)(part_stop);
                                      }));
  return checks.capabilities();
}

}  // namespace kinetic::backend
