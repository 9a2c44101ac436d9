#include "kinetic/try.h"
#include "kinetic/value.h"

#include "auth/source/token_sources.h"
#include "auth/tokens.h"
#include "base/strings.h"

#include <algorithm>

namespace kinetic::auth {
namespace {

constexpr std::uint64_t kMaxTokenFileBytes = 64U << 10;
/// TokenCache refreshes a token 225 s before its expiry, so the file is read about once a minute.
constexpr std::chrono::seconds kAssumedLifetime{285};

/// Returns whether `text` is valid in a header.
bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f;
  });
}

}  // namespace

Result<AccessToken> FixedSource::Fetch(std::stop_token) {
  if (!IsToken(token_)) {
    return Fail(ErrorCode::kUnauthenticated,
                "the access token is empty or contains invalid characters");
  }
  if (used_) {
    return Fail(ErrorCode::kUnauthenticated, "the access token was rejected or has expired",
                "pass a new token, or use a credential that kinetic can refresh");
  }
  used_ = true;
  return AccessToken{token_, JwtExpiry(token_).value_or(WallTime::max())};
}

Identity FixedSource::GetIdentity() const {
  Identity identity;
  identity.kind = "token";
  identity.origin = "the access token";
  return identity;
}

Result<AccessToken> TokenFileSource::Fetch(std::stop_token) {
  auto text = ReadFile(*fs_, path_, kMaxTokenFileBytes);
  if (!text) {
    Error error = std::move(text).error().Context("reading the access token");
    error.code = ErrorCode::kUnauthenticated;
    return Failure(std::move(error));
  }
  const std::string token(Trim(*text));
  if (!IsToken(token)) {
    return Fail(ErrorCode::kUnauthenticated,
                "the file " + Printable(path_.native()) + " contains no access token");
  }
  return AccessToken{token, clock_->Now() + kAssumedLifetime};
}

Identity TokenFileSource::GetIdentity() const {
  Identity identity;
  identity.kind = "token_file";
  identity.origin = "the token file " + Printable(path_.native());
  return identity;
}

}  // namespace kinetic::auth
