#include "support/gcs_server/errors.h"

namespace kinetic::gcs_server {

using nlohmann::json;

Reply ErrorReply(int status, std::string_view reason, const std::string& message) {
  json item = {{"message", message}, {"domain", "global"}, {"reason", reason}};
  if (status == 412) item.update({{"locationType", "header"}, {"location", "If-Match"}});
  if (status == 401) item.update({{"locationType", "header"}, {"location", "Authorization"}});
  return JsonReply(
      {{"error", {{"code", status}, {"message", message}, {"errors", json::array({item})}}}},
      status);
}

Reply Invalid(const std::string& message) { return ErrorReply(400, "invalid", message); }

Reply InvalidArgument(std::string_view name, std::string_view value) {
  return ErrorReply(400, "invalidParameter",
                    "Invalid value for " + std::string(name) + ": '" + std::string(value) + "'.");
}

Reply NotFound(const std::string& message) { return ErrorReply(404, "notFound", message); }

Reply NoSuchBucket() { return NotFound("The specified bucket does not exist."); }

Reply NoSuchObject(std::string_view bucket, std::string_view object) {
  return NotFound("No such object: " + std::string(bucket) + "/" + std::string(object));
}

Reply Conflict(const std::string& message) { return ErrorReply(409, "conflict", message); }

Reply ConditionNotMet(std::string_view which) {
  return ErrorReply(
      412, "conditionNotMet",
      "At least one of the pre-conditions you specified did not hold: " + std::string(which) + ".");
}

Reply NotImplemented(std::string_view what) {
  return ErrorReply(501, "notImplemented",
                    "This stand-in does not have " + std::string(what) + ".");
}

Reply TooManyMutations(std::string_view bucket, std::string_view object) {
  const std::string message =
      "The object " + std::string(bucket) + "/" + std::string(object) +
      " exceeded the rate limit for object mutation operations (create, update, and delete). "
      "Please reduce your request rate. See https://cloud.google.com/storage/docs/gcs429.";
  return JsonReply({{"error",
                     {{"code", 429},
                      {"message", message},
                      {"errors", json::array({{{"message", message},
                                               {"domain", "usageLimits"},
                                               {"reason", "rateLimitExceeded"}}})}}}},
                   429);
}

Reply BackendError() {
  return ErrorReply(503, "backendError", "We encountered an internal error. Please try again.");
}

Reply AsPlainText(const Reply& error) {
  Reply plain;
  plain.status = error.status;
  plain.headers = error.headers;
  plain.headers.Set("Content-Type", "text/html; charset=UTF-8");
  const json body = json::parse(error.body, nullptr, false);
  if (body.is_object() && body.contains("error")) plain.body = body["error"].value("message", "");
  return plain;
}

}  // namespace kinetic::gcs_server
