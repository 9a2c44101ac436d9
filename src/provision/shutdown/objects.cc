#include "provision/shutdown/objects.h"

#include "kinetic/try.h"

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

bool HasShutdownAccount(const Value& cron_job, const std::string& cluster) {
  return kube::TextAt(cron_job, {"spec", "jobTemplate", "spec", "template", "spec",
                                 "serviceAccountName"}) == ShutdownAccount(cluster);
}

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

Value LastUsePatch(WallTime time) {
  const Value annotations(Value::Map{{std::string(kLastUseAnnotation), FormatTime(time)}});
  return Value::Map{{"metadata", Value::Map{{"annotations", annotations}}}};
}

}  // namespace kinetic::provision
