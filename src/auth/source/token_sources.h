#pragma once

#include "auth/token_endpoint.h"
#include "auth/tokens.h"
#include "base/files/file_system.h"

#include <string>
#include <vector>

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

/// The service account of this machine or pod, from the metadata server. `network.transport` must
/// not use a proxy.
///
/// @source https://cloud.google.com/compute/docs/access/authenticate-workloads
class MetadataSource final : public TokenSource {
 public:
  /// @param base_url  "http://metadata.google.internal".
  MetadataSource(std::string base_url, const Network& network)
      : base_url_(std::move(base_url)), network_(network) {}

  /// Returns whether a metadata server responds within three seconds.
  bool IsAvailable(std::stop_token stop) const;

  Result<AccessToken> Fetch(std::stop_token stop) override;
  /// Queries the server for account and project; they are empty if a query fails.
  Identity GetIdentity() const override;

 private:
  Result<http::Response> Get(const std::string& path, std::stop_token stop) const;
  std::string GetText(const std::string& path) const;

  std::string base_url_;
  Network network_;
};

/// The key file of a service account.
struct ServiceAccountCredential {
  std::string private_key_pem;  ///< a secret
  std::string private_key_id;
  std::string token_url = "https://oauth2.googleapis.com/token";
  std::vector<std::string> scopes{std::string(kCloudPlatformScope)};
  /// Use the signed assertion itself as the token. Google's services accept it; the API server of a
  /// cluster does not.
  bool self_signed = true;
  Identity identity;
};

/// @source https://google.aip.dev/auth/4111 ·
///         https://developers.google.com/identity/protocols/oauth2/service-account#httprest
class ServiceAccountSource final : public TokenSource {
 public:
  ServiceAccountSource(ServiceAccountCredential credential, const Network& network)
      : credential_(std::move(credential)), network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity GetIdentity() const override { return credential_.identity; }

 private:
  Result<std::string> Assertion(WallTime now, bool for_exchange) const;

  ServiceAccountCredential credential_;
  Network network_;
};

}  // namespace kinetic::auth
