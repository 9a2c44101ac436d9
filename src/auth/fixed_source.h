#pragma once

#include "auth/token_source.h"
#include "base/file_system.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::auth {

/// Until when a token lasts, where it says so itself: a signed one (JWT) does, Google's opaque ones
/// do not.
std::optional<WallTime> ExpiryIn(std::string_view token);

/// A token that the caller gives; it cannot be renewed.
class FixedSource final : public TokenSource {
 public:
  explicit FixedSource(std::string token) : token_(std::move(token)) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity Who() const override;

 private:
  std::string token_;
  bool given_ = false;
};

/// A token in a file that somebody else renews; it is read again for each Fetch, and every minute.
class TokenFileSource final : public TokenSource {
 public:
  TokenFileSource(Path path, FileSystem& fs, Clock& clock)
      : path_(std::move(path)), fs_(&fs), clock_(&clock) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity Who() const override;

 private:
  Path path_;
  FileSystem* fs_;
  Clock* clock_;
};

}  // namespace kinetic::auth
