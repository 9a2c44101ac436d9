#include "base/random.h"
#include "base/try.h"
#include "gcs/answers.h"
#include "gcs/client.h"
#include "gcs/error.h"
#include "http/redacted.h"

namespace kinetic::gcs {
namespace {

/// What the copy carries: all that the source does, and what is asked for beside.
Value CopyOf(const Object& source, InsertOptions options, const std::string& mark) {
  for (const auto& [key, value] : source.metadata) options.metadata.emplace(key, value);
  options.metadata[std::string(kMarkKey)] = mark;
  if (!options.custom_time) options.custom_time = source.custom_time;
  Value resource = ResourceOf({}, options);
  if (!source.content_encoding.empty()) resource.Set("contentEncoding", source.content_encoding);
  return resource;
}

/// How far one call came.
struct Progress {
  std::optional<Object> copy;  ///< complete
  std::string token;           ///< to go on with
};

Result<Progress> ProgressIn(const http::Request& request, const http::Response& response) {
  const std::string where = "the answer to POST " + http::RedactedUrl(request.url).Text();
  const auto answer = Value::FromJson(response.body);
  if (!answer) return Fail(ErrorCode::kDataLoss, where + ": " + answer.error().message);
  Progress progress;
  if (const Value* copy = answer->Find("resource")) {
    KINETIC_ASSIGN_OR_RETURN(progress.copy, ObjectFrom(*copy, where));
    return progress;
  }
  const Value* token = answer->Find("rewriteToken");
  if (token == nullptr || token->AsString() == nullptr) {
    return Fail(ErrorCode::kDataLoss, where + ": neither a copy nor a way to go on");
  }
  progress.token = *token->AsString();
  return progress;
}

}  // namespace

Result<std::optional<Object>> Client::Rewrite(const std::string& from_bucket, const Object& source,
                                              const std::string& name, const InsertOptions& options,
                                              std::stop_token stop) const {
  const std::string mark = RandomId();
  const std::string resource = CopyOf(source, options, mark).ToJson();
  std::string token;
  for (;;) {
    http::Url url(options_.endpoint);
    url.Raw("/storage/v1/b").Part(from_bucket).Raw("/o").Part(source.name);
    url.Raw("/rewriteTo/b").Part(bucket_).Raw("/o").Part(name);
    url.Query("sourceGeneration", std::to_string(source.generation));
    if (options.if_generation) {
      url.Query("ifGenerationMatch", std::to_string(*options.if_generation));
    }
    if (!token.empty()) url.Query("rewriteToken", token);
    if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
    http::Request request;
    request.method = "POST";
    request.url = url.Text();
    request.headers = {{"Content-Type", "application/json; charset=UTF-8"}};
    request.body = std::make_shared<http::BytesBody>(resource);
    // Sent twice it writes the same content again; with a precondition, it is refused.
    KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                             sender_.Send(request, http::Idempotency::kSafe, stop));
    if (response.status == 412) return IfMarked(name, mark, std::move(stop));
    if (response.status == 400 && !token.empty()) {
      // The token of a copy that is complete is worth nothing: the answer may have been lost.
      KINETIC_ASSIGN_OR_RETURN(auto there, IfMarked(name, mark, stop));
      if (there) return there;
    }
    if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
    KINETIC_ASSIGN_OR_RETURN(Progress progress, ProgressIn(request, response));
    if (progress.copy) return std::move(progress.copy);
    token = std::move(progress.token);
  }
}

}  // namespace kinetic::gcs
