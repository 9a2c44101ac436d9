#include "backend/kubernetes/packages/build_job.h"

#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/placement.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "backend/kubernetes/object_fields.h"
#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/strings.h"
#include "pod/container.h"
#include "pod/package_build_request.h"

#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::size_t kDigits = 12;
constexpr std::string_view kIndexVolume = "kinetic-index";
/// Time to inspect the Job with other tools, and for clients to read the log.
constexpr std::chrono::seconds kKeptWhenMade = std::chrono::minutes{10};
/// Retries after a pod was rejected by a node or killed. A build that reported its failure has
/// none.
constexpr int kOtherPods = 2;
/// A build loses nothing without a grace period.
constexpr int kBuildGraceSeconds = 2;

/// Returns the Secret that the Job waits for, or an empty string.
std::string SecretNameOf(const Value& job) {
  for (const Value& volume : ListAt(job, {"spec", "template", "spec", "volumes"})) {
    if (TextAt(volume, {"name"}) != kIndexVolume) continue;
    return std::string(TextAt(volume, {"secret", "secretName"}));
  }
  return {};
}

std::string InBuilderFolder(std::string_view path) {
  return (Path(pod::kBuilderFolder) / path).native();
}

/// Named like the collector, so that problems in starting the pod are explained as for a job.
Value InstallContainer(const PackageBuildManifestRequest& request) {
  return Value::Map{
      {"name", std::string(pod::kCollectorContainer)},
      {"image", request.cluster.runner_image},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", Value::List{std::string(pod::kRunnerPath), "install-builder",
                              std::string(pod::kBuilderFolder)}},
      {"resources", Value::Map{{"requests", Value::Map{{"cpu", "100m"}, {"memory", "128Mi"}}}}},
      {"securityContext", ContainerSecurity(request.restricted)},
      {"volumeMounts", Value::List{VolumeMount(kSharedVolume, pod::kBuilderFolder)}}};
}

Value BuildContainer(const PackageBuildManifestRequest& request) {
  const PackageBuildLaunch& launch = *request.launch;
  const std::string request_json =
      pod::ToJson(pod::PackageBuildRequest{.request_name = launch.request_name,
                                           .request_sha256 = launch.request_digest.Hex(),
                                           .store = request.store,
                                           .cloud = request.cloud});
  Value::List mounts{VolumeMount(kSharedVolume, pod::kBuilderFolder)};
  if (auto credential = CredentialFileOf(request.cluster)) {
    mounts.push_back(std::move(credential->mount));
  }
  if (!launch.private_urls.empty()) {
    mounts.push_back(VolumeMount(kIndexVolume, Path(pod::kPrivateUrlsFile).parent_path().native()));
  }
  return Value::Map{
      {"name", std::string(pod::kMainContainer)},
      {"image", launch.image},
      {"command", Value::List{InBuilderFolder(pod::kBuilderLoader), "--library-path",
                              InBuilderFolder(pod::kBuilderLibraries),
                              InBuilderFolder(pod::kBuilderProgram), "build-packages"}},
      {"env", Value::List{Value::Map{{"name", std::string(pod::kPackageBuildVariable)},
                                     {"value", request_json}}}},
      {"resources", Value::Map{{"requests", Value::Map{{"cpu", "250m"}, {"memory", "512Mi"}}}}},
      {"securityContext", ContainerSecurity(request.restricted)},
      {"volumeMounts", std::move(mounts)}};
}

Value::List Volumes(const PackageBuildManifestRequest& request, const std::string& secret) {
  Value::List volumes{Value::Map{{"name", std::string(kSharedVolume)}, {"emptyDir", Value::Map()}}};
  if (auto credential = CredentialFileOf(request.cluster)) {
    volumes.push_back(std::move(credential->volume));
  }
  if (!request.launch->private_urls.empty()) {
    constexpr int kReadable = 0444;  // for any user of the image
    volumes.emplace_back(
        Value::Map{{"name", std::string(kIndexVolume)},
                   {"secret", Value::Map{{"secretName", secret}, {"defaultMode", kReadable}}}});
  }
  return volumes;
}

Value::Map PodSpec(const PackageBuildManifestRequest& request, const std::string& secret) {
  Accelerator processor;
  processor.kind = AcceleratorKind::kCpu;
  Value::Map spec{{"restartPolicy", "Never"},
                  {"terminationGracePeriodSeconds", kBuildGraceSeconds},
                  {"automountServiceAccountToken", false},
                  {"enableServiceLinks", false},
                  {"nodeSelector", PlacementOf(processor, false).node_selector}};
  if (!request.cluster.service_account.empty()) {
    spec.emplace_back("serviceAccountName", request.cluster.service_account);
  }
  for (const char* const field : {"imagePullSecrets", "tolerations", "priorityClassName"}) {
    const Value* const given = At(request.launch->pod, {"spec", field});
    if (given != nullptr) spec.emplace_back(field, *given);
  }
  spec.emplace_back("securityContext", PodSecurity(request.restricted));
  spec.emplace_back("initContainers", Value::List{InstallContainer(request)});
  spec.emplace_back("containers", Value::List{BuildContainer(request)});
  spec.emplace_back("volumes", Volumes(request, secret));
  return spec;
}

/// A build that reported its failure is not retried.
Value FailurePolicy() {
  const Value::Map codes{{"containerName", std::string(pod::kMainContainer)},
                         {"operator", "In"},
                         {"values", Value::List{kPermanentBuildFailure}}};
  return Value::Map{
      {"rules", Value::List{Value::Map{{"action", "FailJob"}, {"onExitCodes", codes}}}}};
}

Value::Map Labels(const std::string& digits) {
  return {{std::string(kManagedByLabel), std::string(kManagedBy)},
          {std::string(kPackagesLabel), digits}};
}

Value JobNamed(const PackageBuildManifestRequest& request, const std::string& digits) {
  const std::string name = "kinetic-packages-" + digits;
  const std::string secret = request.client_id.empty() ? name : name + "-" + request.client_id;
  const Value::Map annotations{{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"}};
  Value::Map pod_template{
      {"metadata", Value::Map{{"labels", Labels(digits)}, {"annotations", annotations}}},
      {"spec", PodSpec(request, secret)}};
  Value::Map metadata{
      {"name", name}, {"namespace", request.cluster.name_space}, {"labels", Labels(digits)}};
  if (!request.client_id.empty()) {
    metadata.emplace_back("annotations",
                          Value::Map{{std::string(kStartedByAnnotation), request.client_id}});
  }
  return Value::Map{
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", std::move(metadata)},
      {"spec", Value::Map{{"backoffLimit", kOtherPods},
                          {"podFailurePolicy", FailurePolicy()},
                          {"podReplacementPolicy", "Failed"},
                          {"activeDeadlineSeconds",
                           std::int64_t{std::chrono::seconds(kPackageBuildDeadline).count()}},
                          {"ttlSecondsAfterFinished", std::int64_t{kKeptWhenMade.count()}},
                          {"template", std::move(pod_template)}}}};
}

}  // namespace

Result<Value> MakePackageBuildJob(const PackageBuildManifestRequest& request) {
  if (!request.cloud.access_token.empty() || !request.cloud.environment.empty()) {
    return Fail(ErrorCode::kInternal, "the package build request contains credentials");
  }
  PackageBuildManifestRequest unmarked = request;
  unmarked.client_id.clear();
  const std::string digest = Sha256::Of(JobNamed(unmarked, "").ToJson()).Hex();
  return JobNamed(request, digest.substr(0, kDigits));
}

Value MakePackageBuildSecret(const Value& created_job, const PackageBuildLaunch& launch) {
  const std::string key = Path(pod::kPrivateUrlsFile).filename();
  Value metadata = Value::Map{{"name", SecretNameOf(created_job)},
                              {"namespace", std::string(kube::NamespaceOf(created_job))},
                              {"labels", *At(created_job, {"metadata", "labels"})}};
  metadata.Set("ownerReferences", *At(OwnerPatch(created_job), {"metadata", "ownerReferences"}));
  const std::string urls = pod::PrivateUrlsToJson(launch.private_urls);
  return Value::Map{
      {"apiVersion", "v1"}, {"kind", "Secret"},  {"metadata", std::move(metadata)},
      {"type", "Opaque"},   {"immutable", true}, {"data", Value::Map{{key, Base64Encode(urls)}}}};
}

std::string PodSelector(std::string_view uid) {
  return "batch.kubernetes.io/controller-uid=" + std::string(uid);
}

}  // namespace kinetic::backend
