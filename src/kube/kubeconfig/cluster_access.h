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

/// Everything that is needed to reach one cluster as one user.
struct ClusterAccess {
  std::string context;  ///< of the kubeconfig; empty: found without one
  std::string user;     ///< for messages: "user ana of /home/ana/.kube/config:12:3"
  std::string name_space;

  std::string server;  ///< "https://10.0.0.1:6443", without a '/' at its end
  std::string tls_server_name;
  std::string proxy_url;  ///< may hold a password
  bool insecure = false;  ///< the server's certificate is not looked at, as the file demands
  std::string ca_pem;     ///< empty: the system's authorities
  /// Names the cluster's authority in few characters; "system" where there is none of its own.
  std::string ca_mark = "system";

  std::string certificate_pem;  ///< with key_pem, or empty
  std::string key_pem;
  WallTime certificate_end = WallTime::max();
  std::string token;
  Path token_file;  ///< wins over the token, which is for when it cannot be read
  std::string username;
  std::string password;
  std::vector<std::pair<std::string, std::string>> impersonation;  ///< header fields
  std::optional<PluginEntry> plugin;  ///< where nothing above is a credential
  Value plugin_cluster;               ///< what the plugin is told of the cluster; null: nothing
};

/// What a context leads to, with the files that it names.
///
/// @param   context  empty: the current one.
/// @errors  kNotFound (the context: the nearest is named) · kInvalidArgument (an entry that is
///          absent or contradicts itself, a certificate: the file with line and column) ·
///          kUnimplemented (auth-provider) · those of FileSystem.
Result<ClusterAccess> AccessOf(FileSystem& fs, const Config& config, const std::string& context);

/// Only where a context leads: server and authority, without its user.
Result<ClusterAccess> ClusterOf(FileSystem& fs, const Config& config, const std::string& context);

/// Where the cluster leaves an account for the programs in its pods.
inline constexpr const char* kAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The account of the pod that this runs in.
///
/// @param   environment  the caller's, for KUBERNETES_SERVICE_HOST and …_PORT.
/// @errors  kFailedPrecondition: this runs in no pod, or in one without an account.
/// @source  https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
Result<ClusterAccess> InClusterAccess(FileSystem& fs,
                                      const std::map<std::string, std::string>& environment,
                                      const Path& folder = kAccountFolder);

/// The text of a certificate or key, from its file where it is in one; empty where none is given.
///
/// @param   what  for messages: "the CA of cluster prod".
/// @errors  those of FileSystem, with the place that names the file.
Result<std::string> TextOf(FileSystem& fs, const Pem& pem, const std::string& what);

/// Sets the authority of a cluster, when its certificates can be read.
///
/// @errors  kInvalidArgument: where it is named, and what is wrong with it.
Status TakeAuthority(FileSystem& fs, const Pem& pem, const std::string& what,
                     ClusterAccess& access);

/// Sets the client certificate and its key, when they belong together.
Status TakeClientCertificate(FileSystem& fs, const UserEntry& user, ClusterAccess& access);

}  // namespace kinetic::kube
