#include "auth/authorized_transport.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "http/url.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace kinetic::auth {
namespace {

struct Advice {
  std::string_view kind;
  std::string_view hint;
};

constexpr std::array<Advice, 7> kAdvice{{
    {"token",
     "it has expired or was revoked: pass a new access token, or a credential that kinetic "
     "can renew"},
    {"token_file", "it has expired or was revoked: check the program that writes the file"},
    {"authorized_user", "log in again: gcloud auth application-default login"},
    {"service_account",
     "check that the account is enabled and has this key: gcloud iam "
     "service-accounts keys list --iam-account=ACCOUNT"},
    {"metadata", "check that the service account of this machine is enabled"},
    {"external_account", "check the workload identity pool and its provider"},
    {"impersonated_service_account", "check that the impersonated account is enabled"},
}};

/// Explains the rejection of a new token by the kind of credential in use.
Error RefusedError(const http::Request& request, const http::Response& response,
                   const Identity& identity) {
  const auto body = Value::FromJson(response.body);
  const Value* error = body ? body->Find("error") : nullptr;
  const Value* words = error != nullptr ? error->Find("message") : nullptr;
  const bool told = words != nullptr && words->AsString() != nullptr;
  const auto* const advice = std::ranges::find(kAdvice, identity.kind, &Advice::kind);
  Error refused{ErrorCode::kUnauthenticated,
                request.method + " " + http::RedactedUrl(request.url).Text() +
                    ": 401, the server rejected the credential of kind " + identity.kind + ", " +
                    identity.origin + (told ? ": " + Printable(*words->AsString()) : ""),
                std::string(advice != kAdvice.end() ? advice->hint : "see 'kinetic auth status'"),
                {}};
  return std::move(refused).With("status", "401");
}

}  // namespace

Result<http::Response> AuthorizedTransport::Stream(const http::Request& request,
                                                   const http::Sink& sink, std::stop_token stop) {
  if (!http::MayReceiveCredential(service_, request.url)) {
    return Fail(ErrorCode::kPermissionDenied,
                request.method + " " + http::RedactedUrl(request.url).Text() +
                    ": not sent, because the credential is for " +
                    http::RedactedUrl(service_).Text() + " and Google's APIs");
  }
  http::Request authorized = request;
  authorized.follow_redirects = false;  // the target of a redirect must not get the token
  if (!quota_project_.empty()) authorized.headers.Set("x-goog-user-project", quota_project_);
  KINETIC_ASSIGN_OR_RETURN(const AccessToken first, tokens_->Get(stop));
  authorized.headers.Set("Authorization", "Bearer " + first.value);
  auto response = inner_->Stream(authorized, sink, stop);
  if (!response || response->status != 401) return response;
  tokens_->Invalidate(first.value);
  KINETIC_ASSIGN_OR_RETURN(const AccessToken second, tokens_->Get(stop));
  authorized.headers.Set("Authorization", "Bearer " + second.value);
  response = inner_->Stream(authorized, sink, stop);
  if (!response || response->status != 401) return response;
  return Failure(RefusedError(request, *response, tokens_->GetIdentity()));
}

}  // namespace kinetic::auth
