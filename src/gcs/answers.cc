#include "gcs/answers.h"

#include "base/time/timestamp.h"
#include "base/try.h"
#include "gcs/error.h"
#include "http/redacted.h"

namespace kinetic::gcs {

Result<std::optional<Object>> ObjectUnless(int absent, const http::Request& request,
                                           const http::Response& response) {
  if (response.status == absent && !BucketIsMissing(response)) return std::optional<Object>();
  if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
  const std::string where =
      "the answer to " + request.method + " " + http::RedactedUrl(request.url).Text();
  const auto resource = Value::FromJson(response.body);
  if (!resource) return Fail(ErrorCode::kDataLoss, where + ": " + resource.error().message);
  KINETIC_ASSIGN_OR_RETURN(Object object, ObjectFrom(*resource, where));
  return std::optional<Object>(std::move(object));
}

Value ResourceOf(const std::string& name, const InsertOptions& options) {
  Value resource{Value::Map{}};
  if (!name.empty()) resource.Set("name", name);
  resource.Set("contentType", "application/octet-stream");
  if (options.custom_time) resource.Set("customTime", FormatTime(*options.custom_time));
  Value::Map metadata;
  for (const auto& [key, value] : options.metadata) metadata.emplace_back(key, value);
  if (!metadata.empty()) resource.Set("metadata", std::move(metadata));
  return resource;
}

}  // namespace kinetic::gcs
