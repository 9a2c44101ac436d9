#include "auth/fixed_source.h"

#include "kinetic/value.h"

#include "auth/jwt.h"
#include "base/strings.h"
#include "base/try.h"

#include <algorithm>

namespace kinetic::auth {
namespace {

constexpr std::uint64_t kTokenBytes = 64U << 10;
/// Longer than a token is refreshed before its end, so that the file is read about once a minute.
constexpr std::chrono::seconds kFileLasts{285};

/// What may stand in a header.
bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f;
  });
}

}  // namespace

std::optional<WallTime> ExpiryIn(std::string_view token) {
  const auto claims = ClaimsOf(token);
  const Value* member = claims ? claims->Find("exp") : nullptr;
  const std::int64_t* seconds = member != nullptr ? member->AsInt() : nullptr;
  constexpr std::int64_t kLatest = 253'402'300'799;  // the end of the year 9999
  if (seconds == nullptr || *seconds < 0 || *seconds > kLatest) return std::nullopt;
  return WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::seconds(*seconds)));
}

Result<AccessToken> FixedSource::Fetch(std::stop_token) {
  if (!IsToken(token_)) {
    return Fail(ErrorCode::kUnauthenticated, "the access token given is empty or no token");
  }
  if (given_) {
    return Fail(ErrorCode::kUnauthenticated, "the access token given was refused or has expired",
                "give a new one, or a credential that kinetic can renew");
  }
  given_ = true;
  return AccessToken{token_, ExpiryIn(token_).value_or(WallTime::max())};
}

Identity FixedSource::Who() const {
  Identity who;
  who.kind = "token";
  who.origin = "the access token given";
  return who;
}

Result<AccessToken> TokenFileSource::Fetch(std::stop_token) {
  auto text = ReadFile(*fs_, path_, kTokenBytes);
  if (!text) {
    Error error = std::move(text).error().Context("reading the access token");
    error.code = ErrorCode::kUnauthenticated;
    return Failure(std::move(error));
  }
  const std::string token(Trim(*text));
  if (!IsToken(token)) {
    return Fail(ErrorCode::kUnauthenticated,
                "the file " + Printable(path_.native()) + " holds no access token");
  }
  return AccessToken{token, clock_->Now() + kFileLasts};
}

Identity TokenFileSource::Who() const {
  Identity who;
  who.kind = "token_file";
  who.origin = "the token file " + Printable(path_.native());
  return who;
}

}  // namespace kinetic::auth
