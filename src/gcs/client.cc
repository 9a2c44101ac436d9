#include "gcs/client.h"

#include "base/try.h"
#include "gcs/answers.h"
#include "gcs/error.h"
#include "http/url.h"

namespace kinetic::gcs {
namespace {

http::Request WithJson(std::string method, std::string url, const Value& body) {
  http::Request request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers = {{"Content-Type", "application/json; charset=UTF-8"}};
  request.body = std::make_shared<http::BytesBody>(body.ToJson());
  return request;
}

void AddConditions(http::Url& url, const Conditions& conditions) {
  if (conditions.if_generation) {
    url.Query("ifGenerationMatch", std::to_string(*conditions.if_generation));
  }
  if (conditions.if_metageneration) {
    url.Query("ifMetagenerationMatch", std::to_string(*conditions.if_metageneration));
  }
}

/// A write may be sent twice when its precondition can hold only once.
http::Idempotency IdempotencyOf(const Conditions& conditions) {
  const bool guarded = conditions.if_generation || conditions.if_metageneration;
  return guarded ? http::Idempotency::kSafe : http::Idempotency::kUnsafe;
}

}  // namespace

Client::Client(http::Transport& transport, Clock& clock, std::string bucket, ClientOptions options)
    : transport_(&transport),
      clock_(&clock),
      bucket_(std::move(bucket)),
      options_(std::move(options)) {}

http::Url Client::Address(std::string_view area) const {
  http::Url url(options_.endpoint);
  url.Raw(area).Raw("/storage/v1/b").Part(bucket_).Raw("/o");
  return url;
}

http::Url Client::ObjectAddress(const std::string& name) const {
  http::Url url = Address("");
  url.Part(name);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  return url;
}

Result<http::Response> Client::Send(const http::Request& request, http::Idempotency idempotency,
                                    std::stop_token stop) const {
  const http::RetryingClient client(*transport_, &ErrorOf, options_.retry, *clock_);
  return client.Send(request, idempotency, std::move(stop));
}

Result<std::optional<Object>> Client::Stat(const std::string& name, std::stop_token stop) const {
  http::Request request;
  request.url = ObjectAddress(name).Query("fields", kObjectFields).Text();
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Send(request, http::Idempotency::kSafe, std::move(stop)));
  return ObjectUnless(404, request, response);
}

Result<std::optional<Object>> Client::Patch(const std::string& name, const Value& changes,
                                            const Conditions& conditions,
                                            std::stop_token stop) const {
  http::Url url = ObjectAddress(name);
  url.Query("fields", kObjectFields);
  AddConditions(url, conditions);
  const http::Request request = WithJson("PATCH", url.Text(), changes);
  // Setting the same twice is setting it once.
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Send(request, http::Idempotency::kSafe, std::move(stop)));
  if (response.status == 412) return std::optional<Object>();
  return ObjectUnless(404, request, response);
}

Result<Client::Deletion> Client::Delete(const std::string& name, const Conditions& conditions,
                                        std::stop_token stop) const {
  http::Url url = ObjectAddress(name);
  AddConditions(url, conditions);
  http::Request request;
  request.method = "DELETE";
  request.url = url.Text();
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Send(request, IdempotencyOf(conditions), std::move(stop)));
  if (response.status == 404) return Deletion::kAbsent;
  if (response.status == 412) return Deletion::kChanged;
  if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
  return Deletion::kDeleted;
}

Result<std::optional<Object>> Client::Compose(const std::vector<Object>& parts,
                                              const std::string& name, const InsertOptions& options,
                                              std::stop_token stop) const {
  Value::List sources;
  for (const Object& part : parts) {
    Value source{Value::Map{}};
    source.Set("name", part.name);
    source.Set("generation", std::to_string(part.generation));
    sources.push_back(std::move(source));
  }
  Value body{Value::Map{}};
  body.Set("sourceObjects", std::move(sources));
  body.Set("destination", ResourceOf({}, options));
  http::Url address = Address("");
  address.Part(name).Raw("/compose").Query("fields", kObjectFields);
  if (!options_.user_project.empty()) address.Query("userProject", options_.user_project);
  AddConditions(address, {options.if_generation, {}});
  const http::Request request = WithJson("POST", address.Text(), body);
  KINETIC_ASSIGN_OR_RETURN(
      const http::Response response,
      Send(request, IdempotencyOf({options.if_generation, {}}), std::move(stop)));
  return ObjectUnless(412, request, response);
}

}  // namespace kinetic::gcs
