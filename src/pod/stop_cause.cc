#include "kinetic/try.h"
#include "kinetic/value.h"

#include "json/document.h"
#include "pod/collect_request.h"
#include "record/json_fields.h"
#include "record/object_names.h"
#include "record/task_id.h"

#include <utility>

namespace kinetic::pod {

std::string CancelName(std::string_view id) { return record::JobFolder(id) + "cancel"; }

std::string ToJson(const StopCause& cause) {
  return Value(Value::Map{{"version", 1},
                          {"cause", std::string(Name(cause.cause))},
                          {"reason", cause.reason}})
      .ToJson();
}

Result<std::optional<StopCause>> ReadStopCause(store::Store& store, std::string_view id,
                                               std::stop_token stop) {
  const std::string name = CancelName(id);
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, name, stop));
  if (const auto task = record::ParseTaskId(id); task && !json) {
    return ReadStopCause(store, task->job, std::move(stop));
  }
  if (!json) return std::optional<StopCause>();
  StopCause cause;
  const auto value = Value::FromJson(*json);
  if (!value || value->AsMap() == nullptr) return std::optional(cause);
  json::ObjectReader reader(*value, name);
  cause.cause =
      record::ParseCause(reader.OptionalString("cause").value_or("")).value_or(Cause::kCancelled);
  cause.reason = reader.OptionalString("reason").value_or("");
  return std::optional(std::move(cause));
}

}  // namespace kinetic::pod
