#pragma once

#include "base/time/clock.h"
#include "kube/kubeconfig/config.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::kube {

/// How to reach one cluster as one user.
struct ClusterAccess {
  std::string context;  ///< of the kubeconfig; empty: none
  std::string user;     ///< for messages: "user ana of /home/ana/.kube/config:12:3"
  std::string name_space;

  std::string server;  ///< "https://10.0.0.1:6443", without a '/' at its end
  std::string tls_server_name;
  std::string proxy_url;  ///< may contain a password
  bool insecure = false;  ///< skip verification of the server's certificate
  std::string ca_pem;     ///< empty: the system's authorities
  /// The start of the digest of ca_pem; "system" if that is empty.
  std::string ca_fingerprint = "system";

  std::string certificate_pem;  ///< with key_pem, or empty
  std::string key_pem;
  WallTime certificate_expiry = WallTime::max();
  std::string token;
  Path token_file;  ///< takes precedence over the token while it is readable
  std::string username;
  std::string password;
  std::vector<std::pair<std::string, std::string>> impersonation;  ///< header fields
  std::optional<PluginEntry> plugin;  ///< if there is no other credential
  Value plugin_cluster;               ///< the plugin's spec.cluster; null: omitted
};

/// Resolves a context to a cluster and a user, and reads the files that they refer to.
///
/// @param   context  empty: the current one.
/// @errors  kNotFound (the context) · kInvalidArgument (a missing or inconsistent entry, or an
///          invalid certificate, with file, line and column) · kUnimplemented (auth-provider) ·
///          those of FileSystem.
Result<ClusterAccess> ResolveAccess(FileSystem& fs, const Kubeconfig& config,
                                    const std::string& context);

/// As ResolveAccess, without the user.
Result<ClusterAccess> ResolveCluster(FileSystem& fs, const Kubeconfig& config,
                                     const std::string& context);

/// Where a cluster mounts the service account of a pod.
inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

/// Returns access as the service account of this pod.
///
/// @param   environment  with KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
/// @errors  kFailedPrecondition: not running in a pod, or the pod has no service account.
/// @source  https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
Result<ClusterAccess> InClusterAccess(FileSystem& fs,
                                      const std::map<std::string, std::string>& environment,
                                      const Path& folder = kServiceAccountFolder);

/// Returns the text of a certificate or key, from its file if necessary; "" if there is none.
///
/// @param   what  for messages: "the CA of cluster prod".
/// @errors  those of FileSystem, with the location of the file name.
Result<std::string> ReadPem(FileSystem& fs, const Pem& pem, const std::string& what);

/// Reads the CA certificates of a cluster into `access`.
///
/// @errors  kInvalidArgument: not certificates. Names the location.
Status SetAuthority(FileSystem& fs, const Pem& pem, const std::string& what, ClusterAccess& access);

/// Reads a user's client certificate and key into `access`, and checks that they match.
Status SetClientCertificate(FileSystem& fs, const UserEntry& user, ClusterAccess& access);

}  // namespace kinetic::kube
