#include "google/api/operation.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/advice.h"
#include "google/error.h"
#include "json/document.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::google {
namespace {

constexpr std::chrono::milliseconds kFirstPause{200};
constexpr std::chrono::milliseconds kLongestPause{10'000};

bool IsDone(const Value& operation) {
  const Value* done = operation.Find("done");
  if (done != nullptr && done->AsBool() != nullptr) return *done->AsBool();
  return json::TextAt(operation, "status") == "DONE";
}

/// Codes of google.rpc.Code that occur in operations.
ErrorCode CodeOf(std::int64_t code) {
  switch (code) {
    case 3:
      return ErrorCode::kInvalidArgument;
    case 6:
      return ErrorCode::kAlreadyExists;
    case 7:
      return ErrorCode::kPermissionDenied;
    case 8:
      return ErrorCode::kResourceExhausted;
    case 9:
      return ErrorCode::kFailedPrecondition;
    default:
      return ErrorCode::kUnavailable;
  }
}

/// Returns the messages of the conditions of a cluster or node pool.
std::string ConditionText(const Value& operation) {
  std::string text;
  for (const std::string_view key : {"nodepoolConditions", "clusterConditions"}) {
    const Value* conditions = operation.Find(key);
    if (conditions == nullptr || conditions->AsList() == nullptr) continue;
    for (const Value& condition : *conditions->AsList()) {
      const std::string message = json::TextAt(condition, "message");
      if (message.empty() || text.find(message) != std::string::npos) continue;
      text += (text.empty() ? "" : "; ") + message;
    }
  }
  return text;
}

std::int64_t IntAt(const Value& object, std::string_view key) {
  const Value* found = object.Find(key);
  return found != nullptr && found->AsInt() != nullptr ? *found->AsInt() : std::int64_t{0};
}

/// Returns the error of an operation of Compute Engine, which has a list of errors.
///
/// @source  https://cloud.google.com/compute/docs/reference/rest/v1/regionOperations/get
Error ComputeError(const Value& operation, const Value::List& errors) {
  std::string message;
  for (const Value& one : errors) {
    std::string text = json::TextAt(one, "message");
    if (text.empty()) text = json::TextAt(one, "code");
    message += (message.empty() ? "" : "; ") + text;
  }
  const ErrorCode code = LacksQuota(message)
                             ? ErrorCode::kResourceExhausted
                             : CodeOfStatus(IntAt(operation, "httpErrorStatusCode"));
  return {code, Printable(message), AdviceFor(message), {}};
}

}  // namespace

Status ResultOfOperation(const Value& operation) {
  const Value* error = operation.Find("error");
  if (error == nullptr || error->AsMap() == nullptr || error->AsMap()->empty()) return {};
  const Value* errors = error->Find("errors");
  if (errors != nullptr && errors->AsList() != nullptr)
    return Failure(ComputeError(operation, *errors->AsList()));
  std::string message = json::TextAt(*error, "message");
  const std::string conditions = ConditionText(operation);
  if (message.find(conditions) == std::string::npos) message += " (" + conditions + ")";
  return Fail(CodeOf(IntAt(*error, "code")), Printable(message), AdviceFor(message));
}

Status WaitForOperation(const ApiClient& api, std::string_view service, const Value& operation,
                        const std::function<std::string(const std::string& name)>& path,
                        std::stop_token stop) {
  Value current = operation;
  std::chrono::milliseconds pause = kFirstPause;
  while (!IsDone(current)) {
    KINETIC_RETURN_IF_ERROR(api.clock().Sleep(pause, stop));
    pause = std::min(pause * 2, kLongestPause);
    KINETIC_ASSIGN_OR_RETURN(current, api.Send({.service = std::string(service),
                                                .path = path(json::TextAt(current, "name"))},
                                               stop));
  }
  return ResultOfOperation(current);
}

}  // namespace kinetic::google
