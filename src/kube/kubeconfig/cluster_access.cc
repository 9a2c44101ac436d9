#include "kube/kubeconfig/cluster_access.h"

#include "base/strings.h"
#include "base/try.h"
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
std::string NearestOf(const std::vector<Entry>& entries, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.push_back(entry.name);
  if (const auto nearest = kinetic::Nearest(name, names)) {
    return "did you mean '" + Printable(*nearest) + "'?";
  }
  if (names.empty()) return "there is none at all";
  return "there are: " + Printable(Join(names, ", "));
}

std::string FilesOf(const Config& config) {
  std::string files;
  for (const Path& file : config.files) files += (files.empty() ? "" : ", ") + file.native();
  return Printable(files);
}

Result<const ContextEntry*> ContextOf(const Config& config, const std::string& wanted) {
  const std::string& name = wanted.empty() ? config.current_context : wanted;
  if (name.empty()) {
    return Fail(ErrorCode::kNotFound, FilesOf(config) + ": no context is the current one",
                "name one in the profile; " + NearestOf(config.contexts, name));
  }
  if (const auto* context = Find(config.contexts, name)) return context;
  return Fail(ErrorCode::kNotFound,
              FilesOf(config) + ": there is no context '" + Printable(name) + "'" +
                  (wanted.empty() ? ", which is to be the current one" : ""),
              NearestOf(config.contexts, name));
}

Failure Wrong(const Place& place, const std::string& what, std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, place.Text() + ": " + what,
              hint.empty() ? "correct the kubeconfig" : std::move(hint));
}

/// As kubectl has it: without a scheme, TLS where anything is said about TLS.
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
  return Wrong(cluster.place, "cluster " + Printable(cluster.name) +
                                  ": proxy-url: expected http://, https:// or socks5://, a host "
                                  "and a port");
}

Status TakeCluster(FileSystem& fs, const ClusterEntry& cluster, const UserEntry* user,
                   ClusterAccess& access) {
  const std::string what = "cluster " + Printable(cluster.name);
  if (cluster.server.empty()) return Wrong(cluster.place, what + " names no server");
  access.server = WithScheme(cluster, user);
  const auto parts = http::ParseUrl(access.server);
  if (!parts || (parts->scheme != "https" && parts->scheme != "http")) {
    return Wrong(cluster.place,
                 what + ": server: this is no address: " + Printable(cluster.server));
  }
  if (cluster.insecure && cluster.authority.given()) {
    return Wrong(cluster.place,
                 what +
                     ": insecure-skip-tls-verify and certificate-authority contradict each "
                     "other",
                 "remove one of them, best the first");
  }
  KINETIC_RETURN_IF_ERROR(CheckProxy(cluster));
  access.tls_server_name = cluster.tls_server_name;
  access.proxy_url = cluster.proxy_url;
  access.insecure = cluster.insecure;
  if (cluster.insecure) access.ca_mark = "insecure";
  return TakeAuthority(fs, cluster.authority, "the CA of " + what, access);
}

/// What ExecCredential's spec.cluster is.
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

Status TakeUser(FileSystem& fs, const UserEntry& user, const ClusterEntry& cluster,
                ClusterAccess& access) {
  access.user = "user " + Printable(user.name) + " of " + user.place.Text();
  // Nothing secret is sent where everybody on the way can read it.
  if (access.server.starts_with("http://")) return {};
  const bool basic = !user.username.empty() || !user.password.empty();
  const bool token = !user.token.empty() || !user.token_file.empty();
  if (basic && token) {
    return Wrong(user.place, "user " + Printable(user.name) +
                                 " has a token and a password, of which one is too many");
  }
  access.token = user.token;
  access.token_file = user.token_file;
  access.username = user.username;
  access.password = user.password;
  access.impersonation = user.impersonation;
  KINETIC_RETURN_IF_ERROR(TakeClientCertificate(fs, user, access));
  if (basic || token || user.certificate.given()) return {};
  if (user.plugin) {
    access.plugin = user.plugin;
    if (user.plugin->provide_cluster_info)
      access.plugin_cluster = ClusterForPlugin(cluster, access);
    return {};
  }
  if (user.auth_provider.empty()) return {};
  return Fail(ErrorCode::kUnimplemented,
              user.place.Text() + ": user " + Printable(user.name) + ": the auth-provider " +
                  Printable(user.auth_provider) + " is not known; kubectl gave them up",
              "have the kubeconfig made anew, with a credential plugin (exec)");
}

struct Entries {
  const ContextEntry* context;
  const ClusterEntry* cluster;
};

Result<Entries> EntriesOf(const Config& config, const std::string& wanted) {
  KINETIC_ASSIGN_OR_RETURN(const ContextEntry* const context, ContextOf(config, wanted));
  const ClusterEntry* const cluster = Find(config.clusters, context->cluster);
  if (cluster != nullptr) return Entries{context, cluster};
  return Wrong(context->place,
               "context " + Printable(context->name) + " names the cluster '" +
                   Printable(context->cluster) + "', which is not there",
               NearestOf(config.clusters, context->cluster));
}

}  // namespace

Result<ClusterAccess> ClusterOf(FileSystem& fs, const Config& config, const std::string& context) {
  KINETIC_ASSIGN_OR_RETURN(const Entries entries, EntriesOf(config, context));
  ClusterAccess access;
  access.context = entries.context->name;
  access.name_space = entries.context->name_space;
  KINETIC_RETURN_IF_ERROR(
      TakeCluster(fs, *entries.cluster, Find(config.users, entries.context->user), access));
  return access;
}

Result<ClusterAccess> AccessOf(FileSystem& fs, const Config& config, const std::string& context) {
  KINETIC_ASSIGN_OR_RETURN(ClusterAccess access, ClusterOf(fs, config, context));
  KINETIC_ASSIGN_OR_RETURN(const Entries entries, EntriesOf(config, context));
  const std::string& name = entries.context->user;
  const UserEntry* const user = Find(config.users, name);
  if (user == nullptr && !name.empty()) {
    return Wrong(entries.context->place,
                 "context " + Printable(access.context) + " names the user '" + Printable(name) +
                     "', who is not there",
                 NearestOf(config.users, name));
  }
  if (user != nullptr) KINETIC_RETURN_IF_ERROR(TakeUser(fs, *user, *entries.cluster, access));
  return access;
}

}  // namespace kinetic::kube
