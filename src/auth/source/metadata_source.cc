#include "kinetic/try.h"

#include "auth/source/token_sources.h"
#include "base/strings.h"

namespace kinetic::auth {
namespace {

constexpr const char* kCredential = "this machine's service account";
constexpr std::chrono::milliseconds kTimeout{3000};

Error MetadataError(const http::Request& request, const http::Response& response) {
  return {ErrorCode::kUnavailable,
          "GET " + request.url + ": status " + std::to_string(response.status),
          "",
          {}};
}

http::Request MetadataRequest(const std::string& url) {
  http::Request request;
  request.url = url;
  request.headers = {{"Metadata-Flavor", "Google"}};
  request.connect_timeout = kTimeout;
  request.stall_timeout = kTimeout;
  return request;
}

bool IsMetadataServer(const http::Response& response) {
  return response.headers.Get("metadata-flavor") == "Google";
}

}  // namespace

bool MetadataSource::IsAvailable(std::stop_token stop) const {
  const auto response = network_.transport->Send(MetadataRequest(base_url_ + "/"), std::move(stop));
  return response && response->status == 200 && IsMetadataServer(*response);
}

Result<http::Response> MetadataSource::Get(const std::string& path, std::stop_token stop) const {
  const http::RetryingClient client(*network_.transport, &MetadataError, network_.retry,
                                    *network_.clock);
  return client.Send(MetadataRequest(base_url_ + "/computeMetadata/v1/" + path),
                     http::Idempotency::kIdempotent, std::move(stop));
}

Result<AccessToken> MetadataSource::Fetch(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Get("instance/service-accounts/default/token", std::move(stop)));
  if (response.status == 404) {
    return Fail(ErrorCode::kUnauthenticated, "this machine has no service account",
                "attach one to it, or set GOOGLE_APPLICATION_CREDENTIALS to a credential file");
  }
  if (response.status != 200 || !IsMetadataServer(response)) {
    return Fail(
        ErrorCode::kUnauthenticated,
        "cannot get a token from the metadata server: status " + std::to_string(response.status));
  }
  return ParseTokenResponse(response.body, kCredential, *network_.clock);
}

std::string MetadataSource::GetText(const std::string& path) const {
  const auto response = Get(path, {});
  return response && response->status == 200 ? std::string(Trim(response->body)) : "";
}

Identity MetadataSource::GetIdentity() const {
  Identity identity;
  identity.kind = "metadata";
  identity.origin = "the metadata server";
  identity.account = GetText("instance/service-accounts/default/email");
  identity.project = GetText("project/project-id");
  const std::string universe = GetText("universe/universe-domain");
  if (!universe.empty()) identity.universe_domain = universe;
  return identity;
}

}  // namespace kinetic::auth
