#include "kinetic/try.h"

#include "base/strings.h"
#include "kube/kubeconfig/cluster_access.h"

namespace kinetic::kube {
namespace {

constexpr std::uint64_t kNamespaceBytes = 1024;

std::string FindVariable(const std::map<std::string, std::string>& environment,
                         const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

Failure NoAccountError(const std::string& why) {
  return Fail(ErrorCode::kFailedPrecondition, "cannot use the pod's service account: " + why,
              "outside a cluster, set a kubeconfig in the profile");
}

}  // namespace

Result<ClusterAccess> InClusterAccess(FileSystem& fs,
                                      const std::map<std::string, std::string>& environment,
                                      const Path& folder) {
  std::string host = FindVariable(environment, "KUBERNETES_SERVICE_HOST");
  const std::string port = FindVariable(environment, "KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return NoAccountError("kinetic does not run in a pod (KUBERNETES_SERVICE_HOST is not set)");
  }
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  ClusterAccess access;
  access.server = "https://" + host + ":" + port;
  access.user = "the pod's service account";
  access.token_file = folder / "token";
  if (const auto there = fs.Lstat(access.token_file); !there) {
    return NoAccountError("the pod has none: " + there.error().message);
  }
  const Path authority = folder / "ca.crt";
  KINETIC_RETURN_IF_ERROR(
      SetAuthority(fs, {.file = authority, .location = {authority}}, "the cluster's CA", access));
  if (const auto name = ReadFile(fs, folder / "namespace", kNamespaceBytes)) {
    access.name_space = Trim(*name);
  }
  return access;
}

}  // namespace kinetic::kube
