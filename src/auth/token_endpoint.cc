#include "auth/token_endpoint.h"

#include "kinetic/try.h"

#include "auth/tokens.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "http/headers.h"
#include "http/url.h"
#include "json/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace kinetic::auth {
namespace {

constexpr std::array<std::string_view, 4> kTokenServices{"oauth2", "sts", "iamcredentials",
                                                         "accounts"};

/// Accepts "sts.googleapis.com", "sts.us-east1.rep.googleapis.com" and
/// "us-east1-sts.googleapis.com". A private endpoint has ".p." in front of the domain.
bool IsTokenService(std::string_view host, std::string_view domain) {
  if (!host.ends_with("." + std::string(domain))) return false;
  const auto labels = Split(host.substr(0, host.size() - domain.size() - 1), '.');
  return std::any_of(kTokenServices.begin(), kTokenServices.end(), [&](std::string_view service) {
    return labels[0] == service || labels[0].ends_with("-" + std::string(service));
  });
}

/// Google rejects signed assertions if the clocks differ by more.
constexpr std::chrono::minutes kMaxClockSkew{5};

std::string Member(const std::string& json, std::string_view key) {
  const auto value = Value::FromJson(json);
  const Value* member = value ? value->Find(key) : nullptr;
  const std::string* text = member != nullptr ? member->AsString() : nullptr;
  return text != nullptr ? *text : "";
}

/// Returns the message of an error response as one line.
std::string DescribeError(const http::Response& response) {
  std::string words = Member(response.body, "error");
  const std::string description = Member(response.body, "error_description");
  if (!description.empty()) words += (words.empty() ? "" : ": ") + description;
  return words.empty() ? "status " + std::to_string(response.status) : Printable(words);
}

/// Returns "this machine's clock is 10 minutes behind; correct it", or an empty string.
std::string DescribeClockSkew(const http::Response& response, const Clock& clock) {
  const auto theirs = http::ParseHttpDate(response.headers.Get("date").value_or(""));
  if (!theirs) return {};
  const auto difference = std::chrono::round<std::chrono::minutes>(clock.Now() - *theirs);
  if (std::chrono::abs(difference) < kMaxClockSkew) return {};
  return fmt::format("this machine's clock is {} minutes {}; correct it",
                     std::abs(difference.count()), difference.count() > 0 ? "ahead" : "behind");
}

Error Rejected(const http::Response& response, const std::string& credential, const Clock& clock) {
  std::string hint = DescribeClockSkew(response, clock);
  if (hint.empty())
    hint = "run `gcloud auth application-default login` to log in again, or use another credential";
  return {ErrorCode::kUnauthenticated,
          credential + " was rejected: " + DescribeError(response),
          hint,
          {}};
}

bool IsTransient(const http::Response& response) {
  if (http::IsRetryable(response)) return true;
  const std::string error = Member(response.body, "error");
  return error == "internal_failure" || error == "server_error" ||
         error == "temporarily_unavailable";
}

/// Sends the request until the response is not transient.
Result<http::Response> SendWithRetries(const Network& network, const http::Request& request,
                                       const std::string& credential, const std::stop_token& stop) {
  http::Backoff backoff(network.retry, *network.clock);
  for (;;) {
    auto response = network.transport->Send(request, stop);
    if (response && !IsTransient(*response)) return response;
    if (!response && !http::IsRetryable(response.error(), http::Idempotency::kIdempotent)) {
      return Failure(std::move(response).error().Context("fetching a token for " + credential));
    }
    Error cause = response ? Error{ErrorCode::kUnavailable, DescribeError(*response), "", {}}
                           : response.error();
    cause = std::move(cause).Context("fetching a token for " + credential);
    const auto wait = response ? http::RetryAfter(*response) : std::nullopt;
    KINETIC_RETURN_IF_ERROR(backoff.Wait(cause, wait, stop));
  }
}

Value ToList(const std::vector<std::string>& items) {
  Value::List list;
  for (const std::string& item : items) list.emplace_back(item);
  return Value(std::move(list));
}

}  // namespace

std::string EncodeForm(const Form& form) {
  std::string text;
  for (const auto& [name, value] : form) {
    if (!text.empty()) text += '&';
    text += http::PercentEncode(name) + "=" + http::PercentEncode(value);
  }
  return text;
}

Result<AccessToken> ParseTokenResponse(const std::string& json, const std::string& credential,
                                       const Clock& clock) {
  const std::string where = "the token for " + credential;
  const auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, where + ": the response is not JSON");
  json::ObjectReader reader(*value, where);
  AccessToken token;
  token.value = reader.String("access_token");
  const Value* expires = reader.Member("expires_in");
  if (expires != nullptr) {
    const auto text = expires->AsString() ? ParseInt(*expires->AsString()) : std::nullopt;
    const std::int64_t seconds = text ? *text : reader.Int("expires_in");
    token.expiry = clock.Now() + std::chrono::seconds(seconds);
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  const std::string scopes = reader.OptionalString("scope").value_or("");
  for (const std::string_view scope : Split(scopes, ' ')) {
    if (!scope.empty()) token.scopes.emplace_back(scope);
  }
  // Present for users who logged in with the scope "openid".
  const auto claims = ParseJwtClaims(reader.OptionalString("id_token").value_or(""));
  const Value* email = claims ? claims->Find("email") : nullptr;
  if (email != nullptr && email->AsString() != nullptr) token.account = *email->AsString();
  return token;
}

Result<AccessToken> RequestToken(const Network& network, const std::string& url, const Form& form,
                                 const std::string& credential, std::stop_token stop) {
  http::Request request;
  request.method = "POST";
  request.url = url;
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = std::make_shared<http::BytesBody>(EncodeForm(form));
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           SendWithRetries(network, request, credential, stop));
  if (response.status != 200) return Failure(Rejected(response, credential, *network.clock));
  return ParseTokenResponse(response.body, credential, *network.clock);
}

Result<AccessToken> RequestImpersonatedToken(const Network& network,
                                             const Impersonation& impersonation,
                                             const AccessToken& source_token,
                                             const std::string& credential, std::stop_token stop) {
  Value body{Value::Map{}};
  body.Set("delegates", ToList(impersonation.delegates));
  body.Set("scope", ToList(impersonation.scopes));
  body.Set("lifetime", std::to_string(impersonation.lifetime.count()) + "s");
  http::Request request;
  request.method = "POST";
  request.url = impersonation.url;
  request.headers = {{"Content-Type", "application/json"},
                     {"Authorization", "Bearer " + source_token.value}};
  request.body = std::make_shared<http::BytesBody>(body.ToJson());
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           SendWithRetries(network, request, credential, stop));
  if (response.status == 403) {
    return Fail(ErrorCode::kPermissionDenied,
                credential + " is not allowed to impersonate the service account",
                "grant it roles/iam.serviceAccountTokenCreator on that service account");
  }
  if (response.status != 200) return Failure(Rejected(response, credential, *network.clock));
  const auto value = Value::FromJson(response.body);
  if (!value)
    return Fail(ErrorCode::kDataLoss, "the token for " + credential + ": the response is not JSON");
  json::ObjectReader reader(*value, "the token for " + credential);
  AccessToken token{reader.String("accessToken"), {}, impersonation.scopes};
  const auto expiry = ParseTime(reader.String("expireTime"));
  if (!expiry) reader.Reject("expireTime", "expected a time");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  token.expiry = *expiry;
  return token;
}

Status CheckTokenHost(const std::string& url, std::string_view member,
                      std::string_view universe_domain, bool loopback_allowed) {
  KINETIC_ASSIGN_OR_RETURN(const http::UrlParts parts, http::ParseUrl(url));
  if (loopback_allowed && http::IsLoopback(parts.host)) return {};
  const bool google = parts.host == "accounts.google.com" || parts.host == "www.googleapis.com" ||
                      IsTokenService(parts.host, universe_domain);
  if (parts.scheme == "https" && parts.port.empty() && parts.user_info.empty() && google) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "the credential's " + std::string(member) + " would send secrets to " + parts.host +
                  " over " + parts.scheme + ", which is not a token service of " +
                  std::string(universe_domain),
              "use a credential file from a source you trust");
}

}  // namespace kinetic::auth
