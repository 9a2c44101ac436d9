#pragma once

#include "auth/token/endpoint.h"
#include "auth/token_source.h"

#include <string>

namespace kinetic::auth {

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

}  // namespace kinetic::auth
