#include "provision/shutdown/policy.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "json/document.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::provision {

std::string ToJson(const ShutdownPolicy& policy) {
  Value::Map members{
      {"project", policy.project}, {"zone", policy.zone}, {"cluster", policy.cluster}};
  if (policy.deadline) members.emplace_back("deadline", FormatTime(*policy.deadline));
  if (policy.idle_time) members.emplace_back("idle_seconds", policy.idle_time->count());
  if (!policy.api_endpoint.empty()) members.emplace_back("api_endpoint", policy.api_endpoint);
  return Value(std::move(members)).ToJson();
}

Result<ShutdownPolicy> ShutdownPolicyFromJson(std::string_view json) {
  constexpr const char* kWhere = "shutdown policy";
  KINETIC_ASSIGN_OR_RETURN(const Value document, json::ReadDocument(json, kWhere));
  json::ObjectReader reader(document, kWhere);
  ShutdownPolicy policy;
  policy.project = reader.String("project");
  policy.zone = reader.String("zone");
  policy.cluster = reader.String("cluster");
  if (const auto deadline = reader.OptionalString("deadline")) {
    policy.deadline = ParseTime(*deadline);
    if (!policy.deadline) reader.Reject("deadline", "expected a time");
  }
  if (const auto seconds = reader.OptionalInt("idle_seconds"))
    policy.idle_time = std::chrono::seconds(*seconds);
  policy.api_endpoint = reader.OptionalString("api_endpoint").value_or("");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return policy;
}

std::optional<std::string> ReasonToShutDown(const ShutdownPolicy& policy,
                                            const std::optional<ClusterUse>& use, WallTime now) {
  if (policy.deadline && now >= *policy.deadline)
    return "its time limit ended at " + FormatTime(*policy.deadline);
  if (!policy.idle_time || !use || use->has_jobs || now - use->last < *policy.idle_time)
    return std::nullopt;
  return fmt::format("it has had no jobs for {} (limit: {})",
                     FormatDuration(std::chrono::floor<std::chrono::milliseconds>(now - use->last)),
                     FormatDuration(*policy.idle_time));
}

}  // namespace kinetic::provision
