#include "connect/cluster.h"

#include "base/strings.h"
#include "base/try.h"
#include "connect/cloud_options.h"
#include "connect/cluster_transport.h"
#include "google/gke/cluster.h"
#include "kube/auth/credential.h"
#include "kube/auth/plugin.h"
#include "kube/kubeconfig/cluster_access.h"

#include <chrono>
#include <utility>

namespace kinetic::connect {
namespace {

using kube::ClusterAccess;
using Sources = std::unique_ptr<kube::CredentialSource>;

/// Requests that are small, and streams that wait for ever: whoever is silent for so long is gone.
constexpr std::chrono::seconds kSilence{20};

/// "kubernetes:https://10.0.0.1:6443#4f1c0a99b2de", which no context or user is part of.
std::string MarkOf(const ClusterAccess& access) {
  return "kubernetes:" + access.server + "#" + access.ca_mark;
}

/// An identity without its namespace.
std::string ClusterIn(const std::string& identity) {
  return identity.substr(0, identity.rfind('/'));
}

std::string NamespaceIn(const std::string& identity) {
  const std::size_t slash = identity.rfind('/');
  return identity.empty() || slash == std::string::npos ? "" : identity.substr(slash + 1);
}

Failure ElsewhereError(const std::string& identity, const std::string& where) {
  return Fail(ErrorCode::kFailedPrecondition,
              "the job is on the cluster " + Printable(ClusterIn(identity)) + ", and " + where,
              "use the kubeconfig and the profile with which it was submitted");
}

/// The context that the profile names, or another one that leads where the identity says.
Result<std::string> ContextFor(const ClusterOptions& options, FileSystem& fs,
                               const kube::Config& config) {
  if (options.identity.empty()) return options.profile.context;
  const std::string wanted = ClusterIn(options.identity);
  const auto leads = [&](const std::string& context) {
    const auto cluster = kube::ClusterOf(fs, config, context);
    return cluster && MarkOf(*cluster) == wanted;
  };
  if (leads(options.profile.context)) return options.profile.context;
  for (const auto& context : config.contexts) {
    if (leads(context.name)) return context.name;
  }
  return ElsewhereError(options.identity, "no context of the kubeconfig leads there");
}

Sources CredentialOf(const ClusterOptions& options, const Seams& seams, ClusterAccess& access) {
  if (access.plugin) {
    kube::PluginSurroundings surroundings{.search_path = options.search_path,
                                          .environment = options.environment,
                                          .terminal = options.profile.interactive,
                                          .log = seams.log};
    const Path folder = options.cache.empty() ? Path() : options.cache / "credentials";
    return std::make_unique<kube::PluginSource>(
        *access.plugin, access.plugin_cluster, std::move(surroundings),
        kube::PluginStore(seams.fs, seams.clock, folder), seams.clock);
  }
  if (!access.token_file.empty()) {
    return std::make_unique<kube::TokenFileCredential>(access.token_file, access.token, seams.fs,
                                                       seams.clock);
  }
  kube::Credential credential;
  credential.certificate_pem = access.certificate_pem;
  credential.key_pem = access.key_pem;
  if (!access.token.empty()) credential.authorization = "Bearer " + access.token;
  if (!access.username.empty() || !access.password.empty()) {
    credential.authorization = "Basic " + Base64Encode(access.username + ":" + access.password);
  }
  return std::make_unique<kube::FixedCredential>(std::move(credential));
}

Result<curl::Options> NetworkTo(const ClusterAccess& access, const CloudOptions& cloud,
                                FileSystem& fs) {
  KINETIC_ASSIGN_OR_RETURN(curl::Options network, NetworkOf(cloud, fs));
  if (!access.proxy_url.empty()) {
    network.proxy = access.proxy_url;
    network.no_proxy.clear();
  }
  network.compressed = true;  // a long list is text that says the same again and again
  if (!access.ca_pem.empty()) network.ca_pem = access.ca_pem;
  network.tls_server_name = access.tls_server_name;
  network.verify_tls = !access.insecure;
  network.share_connection = access.server.starts_with("https://");
  network.peer_timeout = kSilence;
  return network;
}

Result<Cluster> Assemble(const ClusterOptions& options, const Seams& seams,
                         const ClusterAccess& access, ClusterRoute route, const std::string& mark) {
  KINETIC_ASSIGN_OR_RETURN(route.network, NetworkTo(access, options.cloud, seams.fs));
  KINETIC_ASSIGN_OR_RETURN(auto engine, curl::StartEngine());
  Cluster cluster;
  cluster.server = access.server;
  cluster.context = access.context;
  cluster.default_namespace = NamespaceIn(options.identity);
  for (const std::string& name : {options.profile.name_space, access.name_space}) {
    if (cluster.default_namespace.empty()) cluster.default_namespace = name;
  }
  if (cluster.default_namespace.empty()) cluster.default_namespace = "default";
  cluster.identity = mark + "/" + cluster.default_namespace;
  cluster.transport = std::make_shared<ClusterTransport>(std::move(engine), std::move(route), seams,
                                                         options.cloud.requests);
  return cluster;
}

Result<ClusterAccess> Find(const ClusterOptions& options, const Seams& seams) {
  if (options.profile.in_cluster) {
    const Path folder =
        options.account_folder.empty() ? Path(kube::kAccountFolder) : options.account_folder;
    return kube::InClusterAccess(seams.fs, options.environment, folder);
  }
  KINETIC_ASSIGN_OR_RETURN(const kube::Config config,
                           kube::ReadConfig(seams.fs, options.profile.kubeconfigs));
  KINETIC_ASSIGN_OR_RETURN(const std::string context, ContextFor(options, seams.fs, config));
  return kube::AccessOf(seams.fs, config, context);
}

Result<Cluster> OpenKubernetes(const ClusterOptions& options, const Seams& seams) {
  KINETIC_ASSIGN_OR_RETURN(ClusterAccess access, Find(options, seams));
  const std::string mark = MarkOf(access);
  if (!options.identity.empty() && mark != ClusterIn(options.identity)) {
    return ElsewhereError(options.identity, access.user + " leads to " + Printable(mark));
  }
  ClusterRoute route;
  route.credentials = CredentialOf(options, seams, access);
  route.fields = access.impersonation;
  route.user = access.user;
  route.certificate_end = access.certificate_end;
  return Assemble(options, seams, access, std::move(route), mark);
}

Status CheckGkeProfile(const ClusterProfile& profile) {
  for (const auto& [name, value] : {std::pair{"project", &profile.project},
                                    {"location", &profile.location},
                                    {"cluster", &profile.cluster}}) {
    if (!value->empty()) continue;
    return Fail(ErrorCode::kInvalidArgument,
                std::string("a profile of kind gke: ") + name + ": expected a value",
                "gcloud container clusters list shows clusters and where they are");
  }
  return {};
}

/// Google as the caller, opened once; whatever stands in for Cloud Storage has no say in it.
class Google {
 public:
  Google(CloudOptions options, Seams seams)
      : options_(std::move(options)), seams_(std::move(seams)) {
    options_.storage_endpoint.clear();
    seams_.prove_keys = true;
    seams_.name_account = true;
  }

  Result<std::shared_ptr<Connection>> Connect(std::stop_token stop) {
    const std::lock_guard lock(mutex_);
    if (!connection_) {
      KINETIC_ASSIGN_OR_RETURN(connection_, Connection::Open(options_, seams_, std::move(stop)));
    }
    return connection_;
  }

 private:
  CloudOptions options_;
  Seams seams_;
  std::mutex mutex_;
  std::shared_ptr<Connection> connection_;
};

Result<Cluster> OpenGke(const ClusterOptions& options, const Seams& seams, std::stop_token stop) {
  const ClusterProfile& profile = options.profile;
  KINETIC_RETURN_IF_ERROR(CheckGkeProfile(profile));
  const std::string mark =
      "gke:" + profile.project + "/" + profile.location + "/" + profile.cluster;
  if (!options.identity.empty() && mark != ClusterIn(options.identity)) {
    return ElsewhereError(options.identity, "the profile leads to " + mark);
  }
  auto google = std::make_shared<Google>(options.cloud, seams);
  const google::GkePlaces places(seams.fs, seams.clock,
                                 options.cache.empty() ? Path() : options.cache / "clusters");
  auto access = places.Find(profile);
  if (!access) {
    KINETIC_ASSIGN_OR_RETURN(const auto connection, google->Connect(stop));
    const std::string api =
        options.container_api.empty() ? google::kContainerApi : options.container_api;
    KINETIC_ASSIGN_OR_RETURN(
        access, google::LocateGkeCluster(*connection, seams.clock, api, profile, stop));
    places.Keep(profile, *access);
  }
  ClusterRoute route;
  route.credentials = std::make_unique<GoogleCredential>(
      [google](std::stop_token token) { return google->Connect(std::move(token)); }, seams.clock);
  route.on_lost = [places, profile] { places.Forget(profile); };
  return Assemble(options, seams, *access, std::move(route), mark);
}

}  // namespace

Result<Cluster> OpenCluster(const ClusterOptions& options, const Seams& seams,
                            std::stop_token stop) {
  if (options.kind == TargetKind::kGke) return OpenGke(options, seams, std::move(stop));
  if (options.kind == TargetKind::kKubernetes) return OpenKubernetes(options, seams);
  return Fail(ErrorCode::kInternal, "opening a cluster for a target that is none");
}

}  // namespace kinetic::connect
