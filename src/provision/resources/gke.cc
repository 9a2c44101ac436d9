#include "provision/resources/gke.h"

#include "json/document.h"

#include <utility>

namespace kinetic::provision {
namespace {

std::string ProblemOf(const Value& existing) {
  std::string message = json::TextAt(existing, "statusMessage");
  if (!message.empty()) return message;
  const Value* conditions = existing.Find("conditions");
  if (conditions == nullptr || conditions->AsList() == nullptr) return "no reason given";
  for (const Value& condition : *conditions->AsList()) {
    std::string text = json::TextAt(condition, "message");
    if (!text.empty()) return text;
  }
  return "no reason given";
}

}  // namespace

std::function<std::string(const std::string&)> GkeOperationPath(const Scope& scope) {
  const std::string folder = "/v1/" + scope.ZonePath() + "/operations/";
  return [folder](const std::string& operation) { return folder + operation; };
}

void SetReadiness(const Value& existing, Comparison& comparison) {
  const std::string status = json::TextAt(existing, "status");
  if (status == "PROVISIONING") {
    comparison.readiness = Readiness::kBusy;
  } else if (status == "STOPPING") {
    comparison.readiness = Readiness::kDeleting;
  } else if (status == "ERROR") {
    comparison.readiness = Readiness::kFailed;
    comparison.problem = ProblemOf(existing);
  }
}

bool HasFlag(const Value& object, std::string_view key) {
  const Value* flag = object.Find(key);
  return flag != nullptr && flag->AsBool() != nullptr && *flag->AsBool();
}

Value::Map CommonNodeConfig(const Scope& scope, const std::string& machine_type) {
  return {{"machineType", machine_type},
          {"serviceAccount", scope.NodeAccount()},
          {"oauthScopes", Value::List{Value("https://www.googleapis.com/auth/cloud-platform")}},
          {"workloadMetadataConfig", Value::Map{{"mode", "GKE_METADATA"}}},
          {"resourceLabels", Value::Map{{std::string(kOwnerLabel), scope.name}}}};
}

}  // namespace kinetic::provision
