#include "connect/cluster.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "connect/cloud_options.h"
#include "connect/cluster_transport.h"
#include "connect/lazy_connection.h"
#include "google/gke/cluster.h"
#include "http/proxy.h"
#include "kube/auth/credential.h"
#include "kube/auth/plugin.h"
#include "kube/kubeconfig/cluster_access.h"

#include <chrono>
#include <utility>

namespace kinetic::connect {
namespace {

using kube::ClusterAccess;
using Sources = std::unique_ptr<kube::CredentialSource>;

/// Prefixes of cluster identities.
constexpr std::string_view kKubernetesPrefix = "kubernetes:";
constexpr std::string_view kGkePrefix = "gke:";

/// Requests are small and streams have their own timeouts, so a silent server is unreachable.
constexpr std::chrono::seconds kStallTimeout{20};

/// Returns the identity of a cluster without a namespace:
/// "kubernetes:https://10.0.0.1:6443#4f1c0a99b2de".
std::string ClusterKey(const ClusterAccess& access) {
  return std::string(kKubernetesPrefix) + access.server + "#" + access.ca_fingerprint;
}

/// Returns an identity without its namespace.
std::string ClusterOfIdentity(const std::string& identity) {
  return identity.substr(0, identity.rfind('/'));
}

std::string NamespaceOfIdentity(const std::string& identity) {
  const std::size_t slash = identity.rfind('/');
  return identity.empty() || slash == std::string::npos ? "" : identity.substr(slash + 1);
}

Failure WrongClusterError(const std::string& identity, const std::string& where) {
  return Fail(
      ErrorCode::kFailedPrecondition,
      "the job runs on cluster " + Printable(ClusterOfIdentity(identity)) + ", but " + where,
      "use the kubeconfig and the profile that the job was submitted with");
}

/// Returns the profile's context, or another one with the identity in the options.
Result<std::string> ContextFor(const ClusterOptions& options, FileSystem& fs,
                               const kube::Kubeconfig& config) {
  if (options.identity.empty()) return options.profile.context;
  const std::string wanted = ClusterOfIdentity(options.identity);
  const auto matches = [&](const std::string& context) {
    const auto cluster = kube::ResolveCluster(fs, config, context);
    return cluster && ClusterKey(*cluster) == wanted;
  };
  if (matches(options.profile.context)) return options.profile.context;
  for (const auto& context : config.contexts) {
    if (matches(context.name)) return context.name;
  }
  return WrongClusterError(options.identity, "no kubeconfig context refers to it");
}

Sources MakeCredentialSource(const ClusterOptions& options, const Dependencies& deps,
                             ClusterAccess& access) {
  if (access.plugin) {
    kube::PluginOptions plugin{.search_path = options.search_path,
                               .environment = options.environment,
                               .terminal = options.profile.interactive,
                               .log = deps.log};
    const Path folder = options.cache.empty() ? Path() : options.cache / "credentials";
    return std::make_unique<kube::PluginCredentialSource>(
        *access.plugin, access.plugin_cluster, std::move(plugin),
        kube::PluginCredentialCache(deps.fs, deps.clock, folder), deps.clock);
  }
  if (!access.token_file.empty()) {
    return std::make_unique<kube::TokenFileCredentialSource>(access.token_file, access.token,
                                                             deps.fs, deps.clock);
  }
  kube::Credential credential;
  credential.certificate_pem = access.certificate_pem;
  credential.key_pem = access.key_pem;
  if (!access.token.empty()) credential.authorization = "Bearer " + access.token;
  if (!access.username.empty() || !access.password.empty()) {
    credential.authorization = "Basic " + Base64Encode(access.username + ":" + access.password);
  }
  return std::make_unique<kube::StaticCredentialSource>(std::move(credential));
}

Result<curl::Options> ClusterCurlOptions(const ClusterAccess& access, const CloudOptions& cloud,
                                         FileSystem& fs) {
  KINETIC_ASSIGN_OR_RETURN(curl::Options network, ToCurlOptions(cloud, fs));
  if (!access.proxy_url.empty()) {
    network.proxy = access.proxy_url;
    network.no_proxy = http::kNoLoopbackException;  // as kubectl
  }
  network.compressed = true;  // lists are long and repetitive
  if (!access.ca_pem.empty()) network.ca_pem = access.ca_pem;
  network.tls_server_name = access.tls_server_name;
  network.verify_tls = !access.insecure;
  network.share_connection = access.server.starts_with("https://");
  network.peer_timeout = kStallTimeout;
  return network;
}

Result<Cluster> Assemble(const ClusterOptions& options, const Dependencies& deps,
                         const ClusterAccess& access, ClusterTransportOptions transport_options,
                         const std::string& key) {
  KINETIC_ASSIGN_OR_RETURN(transport_options.network,
                           ClusterCurlOptions(access, options.cloud, deps.fs));
  KINETIC_ASSIGN_OR_RETURN(auto engine, curl::StartEngine());
  Cluster cluster;
  cluster.server = access.server;
  cluster.context = access.context;
  cluster.default_namespace = NamespaceOfIdentity(options.identity);
  for (const std::string& name : {options.profile.name_space, access.name_space}) {
    if (cluster.default_namespace.empty()) cluster.default_namespace = name;
  }
  if (cluster.default_namespace.empty()) cluster.default_namespace = "default";
  cluster.identity = key + "/" + cluster.default_namespace;
  cluster.transport = std::make_shared<ClusterTransport>(
      std::move(engine), std::move(transport_options), deps, options.cloud.requests);
  return cluster;
}

Result<ClusterAccess> Find(const ClusterOptions& options, const Dependencies& deps) {
  if (options.profile.in_cluster) {
    const Path folder =
        options.account_folder.empty() ? Path(kube::kServiceAccountFolder) : options.account_folder;
    return kube::InClusterAccess(deps.fs, options.environment, folder);
  }
  KINETIC_ASSIGN_OR_RETURN(const kube::Kubeconfig config,
                           kube::ReadKubeconfig(deps.fs, options.profile.kubeconfigs));
  KINETIC_ASSIGN_OR_RETURN(const std::string context, ContextFor(options, deps.fs, config));
  return kube::ResolveAccess(deps.fs, config, context);
}

Result<Cluster> OpenKubernetes(const ClusterOptions& options, const Dependencies& deps) {
  KINETIC_ASSIGN_OR_RETURN(ClusterAccess access, Find(options, deps));
  const std::string key = ClusterKey(access);
  if (!options.identity.empty() && key != ClusterOfIdentity(options.identity)) {
    return WrongClusterError(options.identity, access.user + " refers to " + Printable(key));
  }
  ClusterTransportOptions transport_options;
  transport_options.credentials = MakeCredentialSource(options, deps, access);
  transport_options.headers = access.impersonation;
  transport_options.user = access.user;
  transport_options.certificate_expiry = access.certificate_expiry;
  return Assemble(options, deps, access, std::move(transport_options), key);
}

Status CheckGkeProfile(const ClusterProfile& profile) {
  for (const auto& [name, value] : {std::pair{"project", &profile.project},
                                    {"location", &profile.location},
                                    {"cluster", &profile.cluster}}) {
    if (!value->empty()) continue;
    return Fail(ErrorCode::kInvalidArgument,
                std::string("cannot find the GKE cluster: the profile has no ") + name,
                "list clusters and their locations: gcloud container clusters list");
  }
  return {};
}

Result<Cluster> OpenGke(const ClusterOptions& options, const Dependencies& deps,
                        std::stop_token stop) {
  const ClusterProfile& profile = options.profile;
  KINETIC_RETURN_IF_ERROR(CheckGkeProfile(profile));
  const std::string key =
      std::string(kGkePrefix) + profile.project + "/" + profile.location + "/" + profile.cluster;
  if (!options.identity.empty() && key != ClusterOfIdentity(options.identity)) {
    return WrongClusterError(options.identity, "the profile refers to " + key);
  }
  CloudOptions cloud = options.cloud;
  cloud.storage_endpoint = cloud.api_endpoint;  // the service that this connection is for
  Dependencies google_deps = deps;
  google_deps.exchange_assertions = true;
  google_deps.email_scope = true;
  const auto google = std::make_shared<LazyConnection>(std::move(cloud), google_deps);
  const google::GkeClusterCache cache(deps.fs, deps.clock,
                                      options.cache.empty() ? Path() : options.cache / "clusters");
  auto access = cache.Find(profile);
  if (!access) {
    KINETIC_ASSIGN_OR_RETURN(const auto connection, google->Connect(stop));
    const google::ApiClient api(*connection, deps.clock, options.cloud.api_endpoint);
    KINETIC_ASSIGN_OR_RETURN(access, google::FindGkeCluster(api, profile, stop));
    cache.Store(profile, *access);
  }
  ClusterTransportOptions transport_options;
  transport_options.credentials = std::make_unique<GoogleCredentialSource>(
      [google](std::stop_token token) { return google->Connect(std::move(token)); }, deps.clock);
  transport_options.on_unreachable = [cache, profile] { cache.Erase(profile); };
  return Assemble(options, deps, *access, std::move(transport_options), key);
}

}  // namespace

bool IsClusterIdentity(std::string_view identity) {
  return identity.starts_with(kKubernetesPrefix) || identity.starts_with(kGkePrefix);
}

Result<Cluster> OpenCluster(const ClusterOptions& options, const Dependencies& deps,
                            std::stop_token stop) {
  if (options.kind == TargetKind::kGke) return OpenGke(options, deps, std::move(stop));
  if (options.kind == TargetKind::kKubernetes) return OpenKubernetes(options, deps);
  return Fail(ErrorCode::kInternal, "cannot open a cluster: the target is not a cluster");
}

}  // namespace kinetic::connect
