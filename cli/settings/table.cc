#include "settings/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kinetic::cli {
namespace {

constexpr std::string_view kClusterKinds = "kubernetes|gke";

constexpr std::array<SettingInfo, kSettingCount> kTable = {{
    {SettingId::kTarget, "target", "--target", "KINETIC_TARGET", "PROFILE", SettingType::kText,
     false, "", "local", "The profile that says where jobs run and where they are kept"},
    {SettingId::kStore, "store", "--store", "KINETIC_STORE", "PLACE", SettingType::kStore, true, "",
     "$XDG_DATA_HOME/kinetic/store",
     "The folder, or gs://BUCKET/FOLDER, that keeps bundles, records, logs and results"},
    {SettingId::kStateDir, "state_dir", "--state-dir", "KINETIC_STATE_DIR", "DIR",
     SettingType::kPath, true, "", "$XDG_STATE_HOME/kinetic", "The folder where running jobs live"},
    {SettingId::kCacheDir, "cache_dir", "--cache-dir", "KINETIC_CACHE_DIR", "DIR",
     SettingType::kPath, true, "", "$XDG_CACHE_HOME/kinetic",
     "Environments and what is cheap to make again; may be removed while nothing runs"},
    {SettingId::kConcurrency, "concurrency", "--concurrency", "KINETIC_CONCURRENCY", "N",
     SettingType::kNumber, true, "", "0",
     "Jobs that run at once on this machine; 0: one for each two processors", "", "local"},
    {SettingId::kDataCache, "data_cache", "--data-cache", "KINETIC_DATA_CACHE", "DIR",
     SettingType::kPath, true, "", "none",
     "The folder, of a large volume, that keeps what `data:` names for later jobs", "", "local"},
    {SettingId::kRunner, "runner", "--runner", "KINETIC_RUNNER", "FILE", SettingType::kPath, true,
     "", "kinetic-runner beside kinetic, else in ../libexec/kinetic",
     "The program that runs a job at the far end"},
    {SettingId::kPython, "python", "--python", "KINETIC_PYTHON", "VERSION", SettingType::kText,
     true, "", "the version of python3 in PATH",
     "The Python version of jobs that name none; as an option, of the job at hand"},
    {SettingId::kOwner, "owner", "--owner", "KINETIC_OWNER", "NAME", SettingType::kText, true, "",
     "user@host", "Who a job belongs to, as `ps` shows it"},
    {SettingId::kColor, "color", "--color", "KINETIC_COLOR", "WHEN", SettingType::kChoice, true,
     "auto|always|never", "auto", "Colours; auto: on a terminal, unless NO_COLOR is set"},
    {SettingId::kProgress, "progress", "--progress", "KINETIC_PROGRESS", "HOW",
     SettingType::kChoice, true, "auto|plain|never", "auto",
     "Progress on stderr; auto: a live display on a terminal, else lines"},
    {SettingId::kLogLevel, "log_level", "--log-level", "KINETIC_LOG_LEVEL", "LEVEL",
     SettingType::kChoice, true, "trace|debug|info|warning|off", "off",
     "Diagnostics on stderr; -v is info, -vv debug, -vvv trace"},
    {SettingId::kTrace, "trace", "--trace", "KINETIC_TRACE", "FILE", SettingType::kPath, false, "",
     "none", "Write a line of JSON about every request to a server"},
    {SettingId::kCredentials, "credentials", "--credentials", "KINETIC_CREDENTIALS", "FILE",
     SettingType::kPath, true, "", "the login of gcloud, else the account of the machine",
     "The file of a Google credential", "GOOGLE_APPLICATION_CREDENTIALS"},
    {SettingId::kTokenFile, "token_file", "--token-file", "KINETIC_TOKEN_FILE", "FILE",
     SettingType::kPath, true, "", "none",
     "A file with an access token that somebody else keeps fresh"},
    {SettingId::kAccessToken, "access_token", "", "KINETIC_ACCESS_TOKEN", "TOKEN",
     SettingType::kSecret, false, "", "none", "An access token; it is shown nowhere"},
    {SettingId::kQuotaProject, "quota_project", "--quota-project", "KINETIC_QUOTA_PROJECT",
     "PROJECT", SettingType::kText, true, "", "that of the credential",
     "The project that requests to Google count against", "GOOGLE_CLOUD_QUOTA_PROJECT"},
    {SettingId::kUserProject, "user_project", "--user-project", "KINETIC_USER_PROJECT", "PROJECT",
     SettingType::kText, true, "", "none",
     "The project that pays for buckets whose reader has to pay"},
    {SettingId::kStorageEndpoint, "storage_endpoint", "--storage-endpoint",
     "KINETIC_STORAGE_ENDPOINT", "URL", SettingType::kUrl, true, "",
     "https://storage.googleapis.com", "Where Cloud Storage is, or what stands in for it",
     "STORAGE_EMULATOR_HOST"},
    {SettingId::kProxy, "proxy", "--proxy", "KINETIC_PROXY", "URL", SettingType::kUrl, true, "",
     "none", "The proxy through which servers are reached",
     "https_proxy HTTPS_PROXY all_proxy ALL_PROXY"},
    {SettingId::kNoProxy, "no_proxy", "--no-proxy", "KINETIC_NO_PROXY", "HOSTS", SettingType::kText,
     true, "", "none", "Hosts that are reached without the proxy, with commas between them; *: all",
     "no_proxy NO_PROXY"},
    {SettingId::kCaFile, "ca_file", "--ca-file", "KINETIC_CA_FILE", "FILE", SettingType::kPath,
     true, "", "those of the system", "The certificates (PEM) that a server's must be signed by",
     "CURL_CA_BUNDLE SSL_CERT_FILE"},
    {SettingId::kHttpVersion, "http_version", "--http-version", "KINETIC_HTTP_VERSION", "VERSION",
     SettingType::kChoice, true, "auto|1|2", "auto",
     "The version of HTTP that servers are asked in"},
    {SettingId::kMetadataHost, "metadata_host", "", "KINETIC_METADATA_HOST", "HOST",
     SettingType::kText, true, "", "metadata.google.internal",
     "The metadata server, which is asked last for a credential; none: it is not",
     "GCE_METADATA_HOST"},
    {SettingId::kGcloudFolder, "gcloud_folder", "", "KINETIC_GCLOUD_FOLDER", "DIR",
     SettingType::kPath, true, "", "~/.config/gcloud",
     "Where `gcloud auth application-default login` leaves its credential", "CLOUDSDK_CONFIG"},
    {SettingId::kCredentialPrograms, "credential_programs", "", "KINETIC_CREDENTIAL_PROGRAMS",
     "WHETHER", SettingType::kChoice, true, "yes|no", "no",
     "Whether a program that a credential file names may be run",
     "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"},
    {SettingId::kLocalTokenServices, "local_token_services", "", "KINETIC_LOCAL_TOKEN_SERVICES",
     "WHETHER", SettingType::kChoice, true, "yes|no", "no",
     "Whether a credential file may name a token service on this machine"},
    {SettingId::kKind, "kind", "", "KINETIC_KIND", "KIND", SettingType::kChoice, true,
     "local|kubernetes|gke", "local",
     "Where jobs run: on this machine, on a cluster of a kubeconfig, on a cluster of GKE by name"},
    {SettingId::kKubeconfig, "kubeconfig", "--kubeconfig", "KINETIC_KUBECONFIG", "FILES",
     SettingType::kPaths, true, "", "~/.kube/config",
     "The files that say where clusters are, with colons between them; they are never written",
     "KUBECONFIG", "kubernetes"},
    {SettingId::kContext, "context", "--context", "KINETIC_CONTEXT", "NAME", SettingType::kText,
     true, "", "the current one", "Which of the kubeconfig's contexts", "", "kubernetes"},
    {SettingId::kNamespace, "namespace", "--namespace", "KINETIC_NAMESPACE", "NAME",
     SettingType::kText, true, "", "the context's, else default", "Where in the cluster jobs go",
     "", kClusterKinds},
    {SettingId::kServiceAccount, "service_account", "", "KINETIC_SERVICE_ACCOUNT", "NAME",
     SettingType::kText, true, "", "default", "The service account of a cluster's pods", "",
     kClusterKinds},
    {SettingId::kInCluster, "in_cluster", "", "KINETIC_IN_CLUSTER", "WHETHER", SettingType::kChoice,
     true, "yes|no", "no", "Whether the cluster is the one that kinetic itself runs in", "",
     "kubernetes"},
    {SettingId::kProject, "project", "--project", "KINETIC_PROJECT", "PROJECT", SettingType::kText,
     true, "", "none", "The project of a cluster of GKE, and of Cloud Build",
     "GOOGLE_CLOUD_PROJECT", kClusterKinds},
    {SettingId::kLocation, "location", "--location", "KINETIC_LOCATION", "PLACE",
     SettingType::kText, true, "", "none", "The region, or the zone, of a cluster of GKE", "",
     "gke"},
    {SettingId::kCluster, "cluster", "--cluster", "KINETIC_CLUSTER", "NAME", SettingType::kText,
     true, "", "none", "The name of a cluster of GKE", "", "gke"},
    {SettingId::kClusterEndpoint, "cluster_endpoint", "", "KINETIC_CLUSTER_ENDPOINT", "WHICH",
     SettingType::kChoice, true, "public|private|dns", "public",
     "By which of its addresses a cluster of GKE is reached", "", "gke"},
    {SettingId::kImage, "image", "", "KINETIC_IMAGE", "IMAGE", SettingType::kText, true, "",
     "python:VERSION-slim", "The image of a cluster's jobs that name none", "", kClusterKinds},
    {SettingId::kRunnerImage, "runner_image", "", "KINETIC_RUNNER_IMAGE", "IMAGE",
     SettingType::kText, true, "", "kinetic-runner of this version",
     "The image that runs beside a cluster's jobs: `kinetic image runner` writes it", "",
     kClusterKinds},
    {SettingId::kEnvironments, "environments", "", "KINETIC_ENVIRONMENTS", "HOW",
     SettingType::kChoice, true, "auto|archives|layers|engine|cloud-build", "auto",
     "How a cluster's jobs come by their packages: unpacked by each pod (archives), in an image "
     "made for them by kinetic (layers), by a container engine of this machine (engine) or by "
     "Google's Cloud Build (cloud-build), or in such an image where there is one, else unpacked "
     "(auto)",
     "", kClusterKinds},
    {SettingId::kEnvironmentImages, "environment_images", "", "KINETIC_ENVIRONMENT_IMAGES", "NAME",
     SettingType::kText, true, "", "none",
     "REGISTRY/NAME, where the images that are made for packages are kept", "", kClusterKinds},
    {SettingId::kContainerEngine, "container_engine", "", "KINETIC_CONTAINER_ENGINE", "PROGRAM",
     SettingType::kChoice, true, "auto|buildah|podman|docker", "auto",
     "The program that makes images from Dockerfiles; auto: the first of them in PATH", "",
     kClusterKinds},
    {SettingId::kBuildRegion, "build_region", "", "KINETIC_BUILD_REGION", "REGION",
     SettingType::kText, true, "", "global", "Where Cloud Build makes images: a region, or global",
     "", kClusterKinds},
    {SettingId::kBuildMachine, "build_machine", "", "KINETIC_BUILD_MACHINE", "TYPE",
     SettingType::kChoice, true,
     "e2-medium|e2-standard-2|e2-highcpu-8|e2-highcpu-32|n1-highcpu-8|n1-highcpu-32",
     "Cloud Build's smallest", "The machine on which Cloud Build makes images", "", kClusterKinds},
    {SettingId::kBuildServiceAccount, "build_service_account", "", "KINETIC_BUILD_SERVICE_ACCOUNT",
     "EMAIL", SettingType::kText, true, "", "that of the project",
     "As whom Cloud Build makes images: it reads and writes the store's bucket, and pushes", "",
     kClusterKinds},
    {SettingId::kBuildTimeout, "build_timeout", "", "KINETIC_BUILD_TIMEOUT", "MINUTES",
     SettingType::kNumber, true, "", "60", "How long Cloud Build may take for an image, in minutes",
     "", kClusterKinds},
    {SettingId::kBuildEndpoint, "build_endpoint", "", "KINETIC_BUILD_ENDPOINT", "URL",
     SettingType::kUrl, true, "", "https://cloudbuild.googleapis.com",
     "Where Cloud Build is, or what stands in for it", "", kClusterKinds},
    {SettingId::kPlainRegistries, "plain_registries", "", "KINETIC_PLAIN_REGISTRIES", "WHETHER",
     SettingType::kChoice, true, "yes|no", "no",
     "Whether registries of images are asked without TLS, as those on this machine are anyway", "",
     kClusterKinds},
    {SettingId::kPackagesMade, "packages_made", "", "KINETIC_PACKAGES_MADE", "WHERE",
     SettingType::kChoice, true, "auto|here|cluster", "auto",
     "Where packages are resolved and fetched that nobody has stored yet: on this machine (here), "
     "by a pod (cluster), or by a pod where this machine has neither uv nor a Python with pip, or "
     "would take long to store them (auto)",
     "", kClusterKinds},
    {SettingId::kNodeAhead, "node_ahead", "", "KINETIC_NODE_AHEAD", "WHETHER", SettingType::kChoice,
     true, "yes|no", "yes",
     "Whether a node is asked for while packages or an image are still made for a job", "",
     kClusterKinds},
    {SettingId::kPackagesMedium, "packages_medium", "", "KINETIC_PACKAGES_MEDIUM", "WHERE",
     SettingType::kChoice, true, "disk|memory", "disk",
     "Where pods unpack the packages of a job: onto the node's disk, or into memory that is asked "
     "for besides the job's",
     "", kClusterKinds},
    {SettingId::kRunnerEndpoint, "runner_endpoint", "", "KINETIC_RUNNER_ENDPOINT", "URL",
     SettingType::kUrl, true, "", "as storage_endpoint", "Where Cloud Storage is for pods", "",
     kClusterKinds},
    {SettingId::kRunnerCredentials, "runner_credentials", "", "KINETIC_RUNNER_CREDENTIALS", "HOW",
     SettingType::kText, true, "", "metadata",
     "How pods come by a Google credential: metadata, secret:NAME, or none", "", kClusterKinds},
    {SettingId::kConfig, "config", "--config", "KINETIC_CONFIG", "FILE", SettingType::kPath, false,
     "", "$XDG_CONFIG_HOME/kinetic/config.yaml",
     "The configuration file, which holds the profiles"},
}};

constexpr std::string_view kIntroduction =
    "# Settings\n\n"
    "Each setting has one value and one origin. An option of the command line wins over the\n"
    "environment, the environment over the profile in use, the profile over the default;\n"
    "`kinetic config show --origin` tells which it was. An empty variable counts as not set.\n\n"
    "Variables that other programs read too, such as `https_proxy`, come after the profile: they\n"
    "are looked at when nothing that is kinetic's own says anything. What each of them means is "
    "in\n"
    "[the guide](../guide/cloud.md).\n\n"
    "`target` and `python` may stand in a job file too. The option wins over the job file, and the "
    "job file\n"
    "over the variable and what comes after it: for `target` that is `target:` of the "
    "configuration file.\n\n"
    "Where an XDG variable is not set, `~/.config`, `~/.local/share`, `~/.local/state` and "
    "`~/.cache` are used.\n"
    "Profiles are explained in [the guide](../guide/profiles.md). Where a kind of profile is named "
    "below, the setting\n"
    "has an effect on targets of that kind alone.\n\n"
    "| setting | option | variable | in a profile | default | meaning |\n"
    "|---|---|---|---|---|---|\n";

std::vector<std::string> Parts(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// A cell of the document: "`--store PLACE`".
std::string OptionCell(const SettingInfo& row) {
  return row.flag.empty() ? "–" : fmt::format("`{} {}`", row.flag, row.placeholder);
}

/// Whether a profile may set it, or one of which kinds.
std::string ProfileCell(const SettingInfo& row) {
  if (!row.in_profile) return "no";
  return row.kinds.empty() ? "yes" : fmt::format("{}", fmt::join(Parts(row.kinds, '|'), ", "));
}

std::string VariableCell(const SettingInfo& row) {
  std::string cell = fmt::format("`{}`", row.variable);
  for (const std::string& name : StandardVariables(row)) cell += fmt::format(", `{}`", name);
  return cell;
}

}  // namespace

std::span<const SettingInfo> SettingsTable() { return kTable; }

const SettingInfo& Info(SettingId id) { return kTable[static_cast<std::size_t>(id)]; }

const SettingInfo* FindSetting(std::string_view name) {
  const auto found =
      std::find_if(kTable.begin(), kTable.end(), [&](const auto& row) { return row.name == name; });
  return found == kTable.end() ? nullptr : &*found;
}

std::vector<std::string> Choices(const SettingInfo& info) { return Parts(info.choices, '|'); }

std::vector<std::string> StandardVariables(const SettingInfo& info) {
  return Parts(info.standard, ' ');
}

bool AppliesTo(const SettingInfo& info, std::string_view kind) {
  const auto kinds = Parts(info.kinds, '|');
  return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
}

std::string SettingsDocument() {
  std::string text(kIntroduction);
  for (const SettingInfo& row : kTable) {
    std::string doc(row.doc);
    if (!row.choices.empty()) doc += fmt::format(" (`{}`)", fmt::join(Choices(row), "`, `"));
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.name, OptionCell(row),
                        VariableCell(row), ProfileCell(row), row.default_text, doc);
  }
  return text;
}

}  // namespace kinetic::cli
