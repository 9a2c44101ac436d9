#include "gcs/protocol.h"

#include "kinetic/try.h"

#include "base/time/clock.h"
#include "http/url.h"

namespace kinetic::gcs {

Result<std::optional<Object>> ReadObject(int absent, const http::Request& request,
                                         const http::Response& response) {
  if (response.status == absent && !IsBucketMissing(response)) return std::optional<Object>();
  if (response.status / 100 != 2) return Failure(ErrorFromResponse(request, response));
  const std::string where =
      "the response to " + request.method + " " + http::RedactedUrl(request.url).Text();
  const auto resource = Value::FromJson(response.body);
  if (!resource) return Fail(ErrorCode::kDataLoss, where + ": " + resource.error().message);
  KINETIC_ASSIGN_OR_RETURN(Object object, ParseObject(*resource, where));
  return std::optional<Object>(std::move(object));
}

Value ObjectResource(const std::string& name, const InsertOptions& options) {
  Value resource{Value::Map{}};
  if (!name.empty()) resource.Set("name", name);
  resource.Set("contentType", "application/octet-stream");
  if (options.custom_time) resource.Set("customTime", FormatTime(*options.custom_time));
  Value::Map metadata;
  for (const auto& [key, value] : options.metadata) metadata.emplace_back(key, value);
  if (!metadata.empty()) resource.Set("metadata", std::move(metadata));
  return resource;
}

void AddPreconditions(http::Url& url, const Preconditions& preconditions) {
  if (preconditions.if_generation) {
    url.Query("ifGenerationMatch", std::to_string(*preconditions.if_generation));
  }
  if (preconditions.if_metageneration) {
    url.Query("ifMetagenerationMatch", std::to_string(*preconditions.if_metageneration));
  }
}

http::Idempotency IdempotencyOf(const Preconditions& preconditions) {
  const bool guarded = preconditions.if_generation || preconditions.if_metageneration;
  return guarded ? http::Idempotency::kIdempotent : http::Idempotency::kNonIdempotent;
}

}  // namespace kinetic::gcs
