#include "kube/kubeconfig/cluster_access.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "http/url.h"

#include <algorithm>
#include <array>

namespace kinetic::kube {
namespace {

template <typename Entry>
const Entry* Find(const std::vector<Entry>& entries, const std::string& name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

template <typename Entry>
std::string SuggestName(const std::vector<Entry>& entries, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.push_back(entry.name);
  if (const auto nearest = kinetic::Nearest(name, names)) {
    return "did you mean '" + Printable(*nearest) + "'?";
  }
  if (names.empty()) return "the kubeconfig has none";
  return "it has: " + Printable(Join(names, ", "));
}

std::string FileNames(const Kubeconfig& config) {
  std::string files;
  for (const Path& file : config.files) files += (files.empty() ? "" : ", ") + file.native();
  return Printable(files);
}

Result<const ContextEntry*> FindContext(const Kubeconfig& config, const std::string& wanted) {
  const std::string& name = wanted.empty() ? config.current_context : wanted;
  if (name.empty()) {
    return Fail(ErrorCode::kNotFound, FileNames(config) + ": current-context is not set",
                "set a context in the profile; " + SuggestName(config.contexts, name));
  }
  if (const auto* context = Find(config.contexts, name)) return context;
  return Fail(ErrorCode::kNotFound,
              FileNames(config) + (wanted.empty() ? ": the current context '" : ": context '") +
                  Printable(name) + "' does not exist",
              SuggestName(config.contexts, name));
}

Failure InvalidEntry(const SourceLocation& location, const std::string& what,
                     std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, location.Text() + ": " + what,
              hint.empty() ? "correct the kubeconfig" : std::move(hint));
}

/// Adds a scheme as kubectl does: https if any TLS option is set.
std::string WithScheme(const ClusterEntry& cluster, const UserEntry* user) {
  std::string server = cluster.server;
  if (server.find("://") == std::string::npos) {
    const bool tls = cluster.insecure || cluster.authority.given() ||
                     (user != nullptr && user->certificate.given());
    server.insert(0, tls ? "https://" : "http://");
  }
  while (server.ends_with('/')) server.pop_back();
  return server;
}

Status CheckProxy(const ClusterEntry& cluster) {
  constexpr std::array<std::string_view, 4> kSchemes = {"http", "https", "socks5", "socks5h"};
  if (cluster.proxy_url.empty()) return {};
  const auto parts = http::ParseUrl(cluster.proxy_url);
  if (parts && std::ranges::find(kSchemes, parts->scheme) != kSchemes.end()) return {};
  return InvalidEntry(cluster.location,
                      "cluster " + Printable(cluster.name) +
                          ": proxy-url: expected http://, https:// or socks5://, a host "
                          "and a port");
}

Status SetCluster(FileSystem& fs, const ClusterEntry& cluster, const UserEntry* user,
                  ClusterAccess& access) {
  const std::string what = "cluster " + Printable(cluster.name);
  if (cluster.server.empty()) return InvalidEntry(cluster.location, what + " has no server");
  access.server = WithScheme(cluster, user);
  const auto parts = http::ParseUrl(access.server);
  if (!parts || (parts->scheme != "https" && parts->scheme != "http")) {
    return InvalidEntry(cluster.location,
                        what + ": server: invalid URL: " + Printable(cluster.server));
  }
  if (cluster.insecure && cluster.authority.given()) {
    return InvalidEntry(cluster.location,
                        what +
                            ": insecure-skip-tls-verify and certificate-authority contradict each "
                            "other",
                        "remove one of them, preferably insecure-skip-tls-verify");
  }
  KINETIC_RETURN_IF_ERROR(CheckProxy(cluster));
  access.tls_server_name = cluster.tls_server_name;
  access.proxy_url = cluster.proxy_url;
  access.insecure = cluster.insecure;
  if (cluster.insecure) access.ca_fingerprint = "insecure";
  return SetAuthority(fs, cluster.authority, "the CA of " + what, access);
}

/// Returns spec.cluster of an ExecCredential.
Value ClusterForPlugin(const ClusterEntry& cluster, const ClusterAccess& access) {
  Value::Map members{{"server", access.server}};
  if (!access.tls_server_name.empty()) {
    members.emplace_back("tls-server-name", access.tls_server_name);
  }
  if (access.insecure) members.emplace_back("insecure-skip-tls-verify", true);
  if (!access.ca_pem.empty()) {
    members.emplace_back("certificate-authority-data", Base64Encode(access.ca_pem));
  }
  if (!access.proxy_url.empty()) members.emplace_back("proxy-url", access.proxy_url);
  members.emplace_back("config", cluster.plugin_config);
  return members;
}

Status SetUser(FileSystem& fs, const UserEntry& user, const ClusterEntry& cluster,
               ClusterAccess& access) {
  access.user = "user " + Printable(user.name) + " of " + user.location.Text();
  // Credentials are not sent without TLS.
  if (access.server.starts_with("http://")) return {};
  const bool basic = !user.username.empty() || !user.password.empty();
  const bool token = !user.token.empty() || !user.token_file.empty();
  if (basic && token) {
    return InvalidEntry(user.location,
                        "user " + Printable(user.name) + " has both a token and a password");
  }
  access.token = user.token;
  access.token_file = user.token_file;
  access.username = user.username;
  access.password = user.password;
  access.impersonation = user.impersonation;
  KINETIC_RETURN_IF_ERROR(SetClientCertificate(fs, user, access));
  if (basic || token || user.certificate.given()) return {};
  if (user.plugin) {
    access.plugin = user.plugin;
    if (user.plugin->provide_cluster_info)
      access.plugin_cluster = ClusterForPlugin(cluster, access);
    return {};
  }
  if (user.auth_provider.empty()) return {};
  return Fail(ErrorCode::kUnimplemented,
              user.location.Text() + ": user " + Printable(user.name) + ": auth-provider " +
                  Printable(user.auth_provider) + " is not supported",
              "create the kubeconfig again, with a credential plugin (exec)");
}

struct Entries {
  const ContextEntry* context;
  const ClusterEntry* cluster;
};

Result<Entries> FindEntries(const Kubeconfig& config, const std::string& wanted) {
  KINETIC_ASSIGN_OR_RETURN(const ContextEntry* const context, FindContext(config, wanted));
  const ClusterEntry* const cluster = Find(config.clusters, context->cluster);
  if (cluster != nullptr) return Entries{context, cluster};
  return InvalidEntry(context->location,
                      "context " + Printable(context->name) + " refers to cluster '" +
                          Printable(context->cluster) + "', which does not exist",
                      SuggestName(config.clusters, context->cluster));
}

}  // namespace

Result<ClusterAccess> ResolveCluster(FileSystem& fs, const Kubeconfig& config,
                                     const std::string& context) {
  KINETIC_ASSIGN_OR_RETURN(const Entries entries, FindEntries(config, context));
  ClusterAccess access;
  access.context = entries.context->name;
  access.name_space = entries.context->name_space;
  KINETIC_RETURN_IF_ERROR(
      SetCluster(fs, *entries.cluster, Find(config.users, entries.context->user), access));
  return access;
}

Result<ClusterAccess> ResolveAccess(FileSystem& fs, const Kubeconfig& config,
                                    const std::string& context) {
  KINETIC_ASSIGN_OR_RETURN(ClusterAccess access, ResolveCluster(fs, config, context));
  KINETIC_ASSIGN_OR_RETURN(const Entries entries, FindEntries(config, context));
  const std::string& name = entries.context->user;
  const UserEntry* const user = Find(config.users, name);
  if (user == nullptr && !name.empty()) {
    return InvalidEntry(entries.context->location,
                        "context " + Printable(access.context) + " refers to user '" +
                            Printable(name) + "', which does not exist",
                        SuggestName(config.users, name));
  }
  if (user != nullptr) KINETIC_RETURN_IF_ERROR(SetUser(fs, *user, *entries.cluster, access));
  return access;
}

}  // namespace kinetic::kube
