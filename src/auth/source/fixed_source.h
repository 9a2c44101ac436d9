#pragma once

#include "auth/token_source.h"
#include "base/files/file_system.h"

#include <string>

namespace kinetic::auth {

/// A token passed by the caller. It cannot be refreshed.
class FixedSource final : public TokenSource {
 public:
  explicit FixedSource(std::string token) : token_(std::move(token)) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity GetIdentity() const override;

 private:
  std::string token_;
  bool used_ = false;
};

/// A token in a file that another program refreshes. The file is read about once a minute.
class TokenFileSource final : public TokenSource {
 public:
  TokenFileSource(Path path, FileSystem& fs, Clock& clock)
      : path_(std::move(path)), fs_(&fs), clock_(&clock) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity GetIdentity() const override;

 private:
  Path path_;
  FileSystem* fs_;
  Clock* clock_;
};

}  // namespace kinetic::auth
