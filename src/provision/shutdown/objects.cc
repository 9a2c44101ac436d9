#include "provision/shutdown/objects.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "json/document.h"
#include "kube/object.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::provision {
namespace {

/// Deleting node pools takes minutes. A pod that is stopped is followed by another one.
constexpr std::int64_t kPodDeadlineSeconds = 3600;
constexpr std::int64_t kStartDeadlineSeconds = 600;
/// As the user of the runner image.
constexpr std::int64_t kUser = 65532;

const std::string kName(kShutdownObjects);
const std::string kSpace(kShutdownNamespace);

Value Object(std::string_view version, std::string_view kind, Value::Map members,
             const std::string& name = kName) {
  Value::Map metadata{{"name", name}};
  if (kind != "Namespace" && !kind.starts_with("ClusterRole"))
    metadata.emplace_back("namespace", kSpace);
  Value::Map object{{"apiVersion", std::string(version)},
                    {"kind", std::string(kind)},
                    {"metadata", std::move(metadata)}};
  for (auto& member : members) object.push_back(std::move(member));
  return object;
}

Value Texts(std::initializer_list<std::string_view> texts) {
  Value::List list;
  list.reserve(texts.size());
  for (const std::string_view text : texts) list.emplace_back(std::string(text));
  return list;
}

Value Rules() {
  return Value::List{Value(Value::Map{{"apiGroups", Texts({"batch"})},
                                      {"resources", Texts({"jobs"})},
                                      {"verbs", Texts({"list"})}}),
                     Value(Value::Map{{"apiGroups", Texts({""})},
                                      {"resources", Texts({"events"})},
                                      {"verbs", Texts({"list"})}}),
                     Value(Value::Map{{"apiGroups", Texts({"batch"})},
                                      {"resources", Texts({"cronjobs"})},
                                      {"resourceNames", Texts({kShutdownObjects})},
                                      {"verbs", Texts({"get", "patch"})}})};
}

Value Container(const ShutdownPolicy& policy, const std::string& runner_image) {
  const Value variable(
      Value::Map{{"name", std::string(kShutdownVariable)}, {"value", ToJson(policy)}});
  return Value::Map{
      {"name", "shutdown"},
      {"image", runner_image},
      {"args", Texts({"shut-down"})},
      {"env", Value::List{variable}},
      {"securityContext", Value::Map{{"allowPrivilegeEscalation", false},
                                     {"readOnlyRootFilesystem", true},
                                     {"capabilities", Value::Map{{"drop", Texts({"ALL"})}}}}}};
}

Value PodSpec(const ShutdownPolicy& policy, const std::string& runner_image) {
  return Value::Map{
      {"serviceAccountName", ShutdownAccount(policy.cluster)},
      {"restartPolicy", "Never"},
      {"securityContext", Value::Map{{"runAsNonRoot", true},
                                     {"runAsUser", kUser},
                                     {"seccompProfile", Value::Map{{"type", "RuntimeDefault"}}}}},
      {"containers", Value::List{Container(policy, runner_image)}}};
}

/// Without concurrent pods, so that a long deletion is not disturbed.
Value CronJobSpec(const ShutdownPolicy& policy, const std::string& runner_image) {
  const Value pod(Value::Map{{"spec", PodSpec(policy, runner_image)}});
  const Value job(Value::Map{
      {"backoffLimit", 0}, {"activeDeadlineSeconds", kPodDeadlineSeconds}, {"template", pod}});
  return Value::Map{{"schedule", fmt::format("*/{} * * * *", kShutdownInterval.count())},
                    {"concurrencyPolicy", "Forbid"},
                    {"startingDeadlineSeconds", kStartDeadlineSeconds},
                    {"successfulJobsHistoryLimit", 1},
                    {"failedJobsHistoryLimit", 1},
                    {"jobTemplate", Value::Map{{"spec", job}}}};
}

Value Binding(const std::string& account) {
  return Object(
      "rbac.authorization.k8s.io/v1", "ClusterRoleBinding",
      {{"roleRef",
        Value::Map{
            {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", kName}}},
       {"subjects", Value::List{Value(Value::Map{
                        {"kind", "ServiceAccount"}, {"name", account}, {"namespace", kSpace}})}}});
}

}  // namespace

std::string ShutdownAccount(const std::string& cluster) { return cluster + "-shutdown"; }

std::vector<ClusterObject> ShutdownObjects(const ShutdownPolicy& policy,
                                           const std::string& runner_image) {
  const std::string account = ShutdownAccount(policy.cluster);
  return {{kube::kNamespaces, "", Object("v1", "Namespace", {})},
          {kube::kServiceAccounts, kSpace, Object("v1", "ServiceAccount", {}, account)},
          {kube::kClusterRoles, "",
           Object("rbac.authorization.k8s.io/v1", "ClusterRole", {{"rules", Rules()}})},
          {kube::kClusterRoleBindings, "", Binding(account)},
          {kube::kCronJobs, kSpace,
           Object("batch/v1", "CronJob", {{"spec", CronJobSpec(policy, runner_image)}})}};
}

Result<ShutdownPolicy> PolicyOf(const Value& cron_job) {
  const Value* containers =
      kube::At(cron_job, {"spec", "jobTemplate", "spec", "template", "spec", "containers"});
  if (containers != nullptr && containers->AsList() != nullptr) {
    for (const Value& container : *containers->AsList()) {
      json::ObjectReader reader(container, kName);
      for (const Value& variable : reader.List("env")) {
        if (json::TextAt(variable, "name") == kShutdownVariable)
          return ShutdownPolicyFromJson(json::TextAt(variable, "value"));
      }
    }
  }
  return Fail(ErrorCode::kDataLoss,
              "CronJob " + kName + " has no " + std::string(kShutdownVariable) + " variable");
}

Status CheckOf(const Value& cron_job) {
  const std::string_view check =
      kube::TextAt(cron_job, {"metadata", "annotations", kCheckAnnotation});
  const std::string again = "run 'kinetic up' again, or delete it yourself in time: kinetic down";
  if (check.empty())
    return Fail(ErrorCode::kFailedPrecondition,
                "it is unknown whether the cluster can delete itself: no pod has checked it",
                again);
  if (check != kCheckPassed)
    return Fail(ErrorCode::kPermissionDenied,
                "the cluster cannot delete itself: " + Printable(check), again);
  // Both times are of the control plane.
  const auto started = ParseTime(kube::TextAt(cron_job, {"status", "lastScheduleTime"}));
  const auto succeeded = ParseTime(kube::TextAt(cron_job, {"status", "lastSuccessfulTime"}));
  const auto since =
      succeeded ? succeeded : ParseTime(kube::TextAt(cron_job, {"metadata", "creationTimestamp"}));
  if (started && since && *started - *since > 3 * kShutdownInterval)
    return Fail(ErrorCode::kFailedPrecondition,
                "the cluster may not delete itself: no pod of CronJob " + kName +
                    " has succeeded since " + FormatTime(*since),
                "kubectl describe pods --namespace " + kSpace);
  return {};
}

Value CheckJob(const Value& cron_job, const std::string& name) {
  constexpr std::int64_t kKeptSeconds = 600;
  const Value* found = kube::At(cron_job, {"spec", "jobTemplate", "spec"});
  Value spec = found != nullptr ? *found : Value(Value::Map{});
  spec.Set("ttlSecondsAfterFinished", kKeptSeconds);
  return Object("batch/v1", "Job", {{"spec", std::move(spec)}}, name);
}

Value AnnotationPatch(std::string_view key, Value value) {
  const Value annotations(Value::Map{{std::string(key), std::move(value)}});
  return Value::Map{{"metadata", Value::Map{{"annotations", annotations}}}};
}

}  // namespace kinetic::provision
