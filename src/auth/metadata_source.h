#pragma once

#include "auth/token_endpoint.h"
#include "auth/token_source.h"

#include <string>

namespace kinetic::auth {

/// The account of the machine or pod this runs on, from the metadata server. It is asked directly,
/// never through a proxy: `network.transport` has none.
///
/// @source https://cloud.google.com/compute/docs/access/authenticate-workloads
class MetadataSource final : public TokenSource {
 public:
  /// @param base_url  "http://metadata.google.internal".
  MetadataSource(std::string base_url, const Network& network)
      : base_url_(std::move(base_url)), network_(network) {}

  /// Whether there is such a server here, asked within three seconds.
  bool Answers(std::stop_token stop) const;

  Result<AccessToken> Fetch(std::stop_token stop) override;
  /// Asks for account and project on first use; they stay empty when that fails.
  Identity Who() const override;

 private:
  Result<http::Response> Get(const std::string& path, std::stop_token stop) const;
  std::string TextOf(const std::string& path) const;

  std::string base_url_;
  Network network_;
};

}  // namespace kinetic::auth
