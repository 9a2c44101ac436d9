#include "auth/metadata_source.h"

#include "base/strings.h"
#include "base/try.h"

namespace kinetic::auth {
namespace {

constexpr std::string_view kWhose = "the account of this machine";
constexpr std::chrono::milliseconds kPatience{3000};

Error StatusError(const http::Request& request, const http::Response& response) {
  return {ErrorCode::kUnavailable,
          "GET " + request.url + ": status " + std::to_string(response.status),
          "",
          {}};
}

http::Request Ask(const std::string& url) {
  http::Request request;
  request.url = url;
  request.headers = {{"Metadata-Flavor", "Google"}};
  request.connect_timeout = kPatience;
  request.stall_timeout = kPatience;
  return request;
}

bool IsGoogles(const http::Response& response) {
  return response.headers.Get("metadata-flavor") == "Google";
}

}  // namespace

bool MetadataSource::Answers(std::stop_token stop) const {
  const auto response = network_.transport->Send(Ask(base_url_ + "/"), std::move(stop));
  return response && response->status == 200 && IsGoogles(*response);
}

Result<http::Response> MetadataSource::Get(const std::string& path, std::stop_token stop) const {
  const http::RetryingClient client(*network_.transport, &StatusError, network_.retry,
                                    *network_.clock);
  return client.Send(Ask(base_url_ + "/computeMetadata/v1/" + path), http::Idempotency::kSafe,
                     std::move(stop));
}

Result<AccessToken> MetadataSource::Fetch(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Get("instance/service-accounts/default/token", std::move(stop)));
  if (response.status == 404) {
    return Fail(ErrorCode::kUnauthenticated, "this machine has no service account",
                "attach one to it, or name a credential file");
  }
  if (response.status != 200 || !IsGoogles(response)) {
    return Fail(ErrorCode::kUnauthenticated,
                "the metadata server gives no token: status " + std::to_string(response.status));
  }
  return ReadTokenAnswer(response.body, std::string(kWhose), *network_.clock);
}

std::string MetadataSource::TextOf(const std::string& path) const {
  const auto response = Get(path, {});
  return response && response->status == 200 ? std::string(Trim(response->body)) : "";
}

Identity MetadataSource::Who() const {
  Identity who;
  who.kind = "metadata";
  who.origin = "the metadata server";
  who.account = TextOf("instance/service-accounts/default/email");
  who.project = TextOf("project/project-id");
  const std::string universe = TextOf("universe/universe-domain");
  if (!universe.empty()) who.universe_domain = universe;
  return who;
}

}  // namespace kinetic::auth
