#include "settings/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kinetic::settings {
namespace {

constexpr std::string_view kClusterKinds = "kubernetes|gke";

constexpr std::array<SettingInfo, kSettingCount> kSettings = {{
    {SettingId::kTarget, "target", "--target", "KINETIC_TARGET", "PROFILE", SettingType::kText,
     false, "", "local",
     "Profile to use, which sets where jobs run and where their data is stored"},
    {SettingId::kStore, "store", "--store", "KINETIC_STORE", "LOCATION", SettingType::kStore, true,
     "", "$XDG_DATA_HOME/kinetic/store",
     "Folder or gs://BUCKET/FOLDER for bundles, records, logs, and results"},
    {SettingId::kStateDir, "state_dir", "--state-dir", "KINETIC_STATE_DIR", "DIR",
     SettingType::kPath, true, "", "$XDG_STATE_HOME/kinetic",
     "Folder for the files of running jobs"},
    {SettingId::kCacheDir, "cache_dir", "--cache-dir", "KINETIC_CACHE_DIR", "DIR",
     SettingType::kPath, true, "", "$XDG_CACHE_HOME/kinetic",
     "Folder for environments and other cached files; safe to delete while no jobs are running"},
    {SettingId::kConcurrency, "concurrency", "--concurrency", "KINETIC_CONCURRENCY", "N",
     SettingType::kNumber, true, "", "0",
     "Maximum number of concurrent jobs on this machine; 0 means one per two processors", "",
     "local"},
    {SettingId::kDataCache, "data_cache", "--data-cache", "KINETIC_DATA_CACHE", "DIR",
     SettingType::kPath, true, "", "none", "Cache folder for the `data:` of jobs", "", "local"},
    {SettingId::kRunner, "runner", "--runner", "KINETIC_RUNNER", "FILE", SettingType::kPath, true,
     "", "kinetic-runner next to kinetic, otherwise in ../libexec/kinetic",
     "Program that runs alongside a job (kinetic-runner)"},
    {SettingId::kPython, "python", "--python", "KINETIC_PYTHON", "VERSION", SettingType::kText,
     true, "", "the version of python3 on PATH",
     "Python version for local jobs that do not set one; the option overrides every job file"},
    {SettingId::kOwner, "owner", "--owner", "KINETIC_OWNER", "NAME", SettingType::kText, true, "",
     "user@host", "Owner of submitted jobs, as listed by `ps`"},
    {SettingId::kColor, "color", "--color", "KINETIC_COLOR", "WHEN", SettingType::kChoice, true,
     "auto|always|never", "auto",
     "When to color the output; auto: on a terminal, unless NO_COLOR is set"},
    {SettingId::kProgress, "progress", "--progress", "KINETIC_PROGRESS", "HOW",
     SettingType::kChoice, true, "auto|plain|never", "auto",
     "How to show progress on stderr; auto: live on a terminal, as lines otherwise"},
    {SettingId::kLogLevel, "log_level", "--log-level", "KINETIC_LOG_LEVEL", "LEVEL",
     SettingType::kChoice, true, "trace|debug|info|warning|off", "off",
     "Level of diagnostics on stderr; -v is info, -vv is debug, -vvv is trace"},
    {SettingId::kTrace, "trace", "--trace", "KINETIC_TRACE", "FILE", SettingType::kPath, false, "",
     "none", "Write one line of JSON per HTTP request to this file"},
    {SettingId::kCredentials, "credentials", "--credentials", "KINETIC_CREDENTIALS", "FILE",
     SettingType::kPath, true, "", "the gcloud login, otherwise this machine's service account",
     "Google credential file", "GOOGLE_APPLICATION_CREDENTIALS"},
    {SettingId::kTokenFile, "token_file", "--token-file", "KINETIC_TOKEN_FILE", "FILE",
     SettingType::kPath, true, "", "none",
     "File with an access token that another program refreshes"},
    {SettingId::kAccessToken, "access_token", "", "KINETIC_ACCESS_TOKEN", "TOKEN",
     SettingType::kSecret, false, "", "none", "Access token; never printed"},
    {SettingId::kQuotaProject, "quota_project", "--quota-project", "KINETIC_QUOTA_PROJECT",
     "PROJECT", SettingType::kText, true, "", "from the credential",
     "Quota project for Google Cloud requests", "GOOGLE_CLOUD_QUOTA_PROJECT"},
    {SettingId::kUserProject, "user_project", "--user-project", "KINETIC_USER_PROJECT", "PROJECT",
     SettingType::kText, true, "", "none", "Project that pays for requester-pays buckets"},
    {SettingId::kStorageEndpoint, "storage_endpoint", "--storage-endpoint",
     "KINETIC_STORAGE_ENDPOINT", "URL", SettingType::kUrl, true, "",
     "https://storage.googleapis.com", "Cloud Storage or emulator URL", "STORAGE_EMULATOR_HOST"},
    {SettingId::kApiEndpoint, "api_endpoint", "", "KINETIC_API_ENDPOINT", "URL", SettingType::kUrl,
     true, "", "https://SERVICE.googleapis.com",
     "Emulator of the Google Cloud APIs other than Cloud Storage, at URL/SERVICE.googleapis.com"},
    {SettingId::kProxy, "proxy", "--proxy", "KINETIC_PROXY", "URL", SettingType::kUrl, true, "",
     "none", "Proxy for HTTP requests", "https_proxy HTTPS_PROXY all_proxy ALL_PROXY"},
    {SettingId::kNoProxy, "no_proxy", "--no-proxy", "KINETIC_NO_PROXY", "HOSTS", SettingType::kText,
     true, "", "none", "Comma-separated hosts that bypass the proxy; * means all hosts",
     "no_proxy NO_PROXY"},
    {SettingId::kCaFile, "ca_file", "--ca-file", "KINETIC_CA_FILE", "FILE", SettingType::kPath,
     true, "", "system certificates", "Trusted CA certificates (PEM)",
     "CURL_CA_BUNDLE SSL_CERT_FILE"},
    {SettingId::kHttpVersion, "http_version", "--http-version", "KINETIC_HTTP_VERSION", "VERSION",
     SettingType::kChoice, true, "auto|1|2", "auto", "HTTP version to use"},
    {SettingId::kRetryFor, "retry_for", "--retry-for", "KINETIC_RETRY_FOR", "TIME",
     SettingType::kText, true, "", "2m",
     "How long to retry failing requests, such as 90s or 2m; 0 disables retries"},
    {SettingId::kMetadataHost, "metadata_host", "", "KINETIC_METADATA_HOST", "HOST",
     SettingType::kText, true, "", "metadata.google.internal",
     "Metadata server, the last credential source to try; none disables it", "GCE_METADATA_HOST"},
    {SettingId::kGcloudFolder, "gcloud_folder", "", "KINETIC_GCLOUD_FOLDER", "DIR",
     SettingType::kPath, true, "", "~/.config/gcloud",
     "Folder of the gcloud configuration and its credential", "CLOUDSDK_CONFIG"},
    {SettingId::kCredentialPrograms, "credential_programs", "", "KINETIC_CREDENTIAL_PROGRAMS",
     "WHETHER", SettingType::kChoice, true, "yes|no", "no",
     "Allow credential files to run programs", "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"},
    {SettingId::kLocalTokenServices, "local_token_services", "", "KINETIC_LOCAL_TOKEN_SERVICES",
     "WHETHER", SettingType::kChoice, true, "yes|no", "no",
     "Allow credential files to use a token service on this machine"},
    {SettingId::kKind, "kind", "", "KINETIC_KIND", "KIND", SettingType::kChoice, true,
     "local|kubernetes|gke", "local",
     "Where jobs run: this machine, a cluster from a kubeconfig, or a GKE cluster by name"},
    {SettingId::kKubeconfig, "kubeconfig", "--kubeconfig", "KINETIC_KUBECONFIG", "FILES",
     SettingType::kPaths, true, "", "~/.kube/config",
     "Colon-separated kubeconfig files, which kinetic never writes", "KUBECONFIG", "kubernetes"},
    {SettingId::kContext, "context", "--context", "KINETIC_CONTEXT", "NAME", SettingType::kText,
     true, "", "the current context", "Context in the kubeconfig", "", "kubernetes"},
    {SettingId::kNamespace, "namespace", "--namespace", "KINETIC_NAMESPACE", "NAME",
     SettingType::kText, true, "", "from the context, otherwise default", "Namespace for jobs", "",
     kClusterKinds},
    {SettingId::kServiceAccount, "service_account", "", "KINETIC_SERVICE_ACCOUNT", "NAME",
     SettingType::kText, true, "", "default", "Kubernetes service account of job pods", "",
     kClusterKinds},
    {SettingId::kInCluster, "in_cluster", "", "KINETIC_IN_CLUSTER", "WHETHER", SettingType::kChoice,
     true, "yes|no", "no", "Use the cluster that kinetic itself runs in", "", "kubernetes"},
    {SettingId::kProject, "project", "--project", "KINETIC_PROJECT", "PROJECT", SettingType::kText,
     true, "", "none", "Google Cloud project of the GKE cluster and of Cloud Build",
     "GOOGLE_CLOUD_PROJECT", kClusterKinds},
    {SettingId::kLocation, "location", "--location", "KINETIC_LOCATION", "REGION/ZONE",
     SettingType::kText, true, "", "none", "Region or zone of the GKE cluster", "", "gke"},
    {SettingId::kCluster, "cluster", "--cluster", "KINETIC_CLUSTER", "NAME", SettingType::kText,
     true, "", "none", "Name of the GKE cluster", "", "gke"},
    {SettingId::kClusterEndpoint, "cluster_endpoint", "", "KINETIC_CLUSTER_ENDPOINT", "WHICH",
     SettingType::kChoice, true, "public|private|dns", "public",
     "Endpoint of the GKE cluster to connect to", "", "gke"},
    {SettingId::kImage, "image", "", "KINETIC_IMAGE", "IMAGE", SettingType::kText, true, "",
     "python:VERSION-slim", "Container image for jobs that do not set one", "", kClusterKinds},
    {SettingId::kRunnerImage, "runner_image", "", "KINETIC_RUNNER_IMAGE", "IMAGE",
     SettingType::kText, true, "", "none",
     "Runner image on clusters, built by `kinetic image runner`", "", kClusterKinds},
    {SettingId::kEnvironments, "environments", "", "KINETIC_ENVIRONMENTS", "HOW",
     SettingType::kChoice, true, "auto|archives|layers", "auto",
     "How jobs on clusters get their packages; archives: unpacked in each pod; layers: as layers "
     "of an image; auto: layers if the image exists, otherwise archives",
     "", kClusterKinds},
    {SettingId::kEnvironmentImages, "environment_images", "", "KINETIC_ENVIRONMENT_IMAGES", "NAME",
     SettingType::kText, true, "", "none",
     "REGISTRY/NAME for package images and images built from Dockerfiles", "", kClusterKinds},
    {SettingId::kContainerEngine, "container_engine", "", "KINETIC_CONTAINER_ENGINE", "PROGRAM",
     SettingType::kChoice, true, "auto|buildah|podman|docker|cloud-build", "auto",
     "Container engine, or Cloud Build, that builds a job's Dockerfile; auto: the first engine "
     "found on PATH",
     "", kClusterKinds},
    {SettingId::kBuildRegion, "build_region", "", "KINETIC_BUILD_REGION", "REGION",
     SettingType::kText, true, "", "global", "Cloud Build region, or global", "", kClusterKinds},
    {SettingId::kBuildMachine, "build_machine", "", "KINETIC_BUILD_MACHINE", "TYPE",
     SettingType::kChoice, true,
     "e2-medium|e2-standard-2|e2-highcpu-8|e2-highcpu-32|n1-highcpu-8|n1-highcpu-32",
     "the smallest machine type of Cloud Build", "Machine type for Cloud Build", "", kClusterKinds},
    {SettingId::kBuildServiceAccount, "build_service_account", "", "KINETIC_BUILD_SERVICE_ACCOUNT",
     "EMAIL", SettingType::kText, true, "", "the project's default account",
     "Service account for Cloud Build; it needs access to the store's bucket and the registry", "",
     kClusterKinds},
    {SettingId::kBuildTimeout, "build_timeout", "", "KINETIC_BUILD_TIMEOUT", "TIME",
     SettingType::kText, true, "", "60m", "Time limit for a build in Cloud Build, such as 90m", "",
     kClusterKinds},
    {SettingId::kBuildEndpoint, "build_endpoint", "", "KINETIC_BUILD_ENDPOINT", "URL",
     SettingType::kUrl, true, "", "https://cloudbuild.googleapis.com",
     "Cloud Build or emulator URL", "", kClusterKinds},
    {SettingId::kPlainRegistries, "plain_registries", "", "KINETIC_PLAIN_REGISTRIES", "WHETHER",
     SettingType::kChoice, true, "yes|no", "no",
     "Connect to registries without TLS (always for localhost)", "", kClusterKinds},
    {SettingId::kNodeAhead, "node_ahead", "", "KINETIC_NODE_AHEAD", "WHETHER", SettingType::kChoice,
     true, "yes|no", "yes",
     "Request a node while the packages or the image of a job are being built", "", kClusterKinds},
    {SettingId::kPackagesMedium, "packages_medium", "", "KINETIC_PACKAGES_MEDIUM", "WHERE",
     SettingType::kChoice, true, "disk|memory", "disk",
     "Where pods unpack packages: on the node's disk, or in memory requested in addition to the "
     "job's",
     "", kClusterKinds},
    {SettingId::kRunnerEndpoint, "runner_endpoint", "", "KINETIC_RUNNER_ENDPOINT", "URL",
     SettingType::kUrl, true, "", "same as storage_endpoint", "Cloud Storage URL for pods", "",
     kClusterKinds},
    {SettingId::kRunnerCredentials, "runner_credentials", "", "KINETIC_RUNNER_CREDENTIALS", "HOW",
     SettingType::kText, true, "", "metadata",
     "Google credential of pods: metadata, secret:NAME or none", "", kClusterKinds},
    {SettingId::kConfig, "config", "--config", "KINETIC_CONFIG", "FILE", SettingType::kPath, false,
     "", "$XDG_CONFIG_HOME/kinetic/config.yaml", "Configuration file that contains the profiles"},
}};

constexpr std::string_view kIntroduction =
    "# Settings\n\n"
    "Each setting has one value and one origin. A command-line option overrides an\n"
    "environment variable, the variable overrides the profile in use, and the profile\n"
    "overrides the default. An empty variable counts as unset. `kinetic config show --origin`\n"
    "prints each value with its origin.\n\n"
    "Variables of other programs, such as `https_proxy`, apply only if no option, `KINETIC_*`\n"
    "variable or profile sets a value. See [Credentials](credentials.md) and\n"
    "[Network](network.md).\n\n"
    "A job file can also set `target` and `python`. The option overrides the job file, and\n"
    "the job file overrides the variable, the profile and the default.\n\n"
    "If an XDG variable is unset, kinetic uses `~/.config`, `~/.local/share`,\n"
    "`~/.local/state` or `~/.cache`. The column \"in a profile\" lists the kinds of\n"
    "[profiles](profiles.md) that a setting applies to.\n\n"
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

/// Returns a table cell such as "`--store LOCATION`".
std::string OptionCell(const SettingInfo& row) {
  return row.flag.empty() ? "–" : fmt::format("`{} {}`", row.flag, row.placeholder);
}

/// Returns whether a profile may set it, or the kinds of profile that may.
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

std::span<const SettingInfo> SettingsTable() { return kSettings; }

const SettingInfo& Info(SettingId id) { return kSettings[static_cast<std::size_t>(id)]; }

const SettingInfo* FindSetting(std::string_view name) {
  const auto found = std::find_if(kSettings.begin(), kSettings.end(),
                                  [&](const auto& row) { return row.name == name; });
  return found == kSettings.end() ? nullptr : &*found;
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
  for (const SettingInfo& row : kSettings) {
    std::string doc(row.doc);
    if (!row.choices.empty()) doc += fmt::format(" (`{}`)", fmt::join(Choices(row), "`, `"));
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.name, OptionCell(row),
                        VariableCell(row), ProfileCell(row), row.default_text, doc);
  }
  return text;
}

}  // namespace kinetic::settings
