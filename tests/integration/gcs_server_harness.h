#pragma once

#include "curl/transport.h"
#include "http/url.h"
#include "support/gcs_server/server.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kinetic::test {

/// Returns options of a server without a limit on changes of an object, which these tests make at
/// once.
inline gcs_server::Options WithoutChangeLimit(gcs_server::Options options = {}) {
  options.behavior.change_interval = {};
  return options;
}

/// A server with one bucket, and a transport.
class GcsServerTest : public ::testing::Test {
 protected:
  explicit GcsServerTest(gcs_server::Options options = WithoutChangeLimit());

  Result<http::Response> Try(const std::string& method, const std::string& path,
                             std::string body = {}, http::Headers headers = {});
  /// Sends on a new connection. On a reused one, the transport repeats a failed request.
  Result<http::Response> TryOnNewConnection(const std::string& method, const std::string& path,
                                            std::string body = {});
  /// Fails the test if there is no response.
  http::Response Do(const std::string& method, const std::string& path, std::string body = {},
                    http::Headers headers = {});
  /// Returns the JSON body of a 200; fails the test otherwise.
  nlohmann::json Json(const std::string& method, const std::string& path, std::string body = {},
                      http::Headers headers = {});

  /// Uploads media. @returns the resource
  nlohmann::json Store(const std::string& name, const std::string& bytes);
  std::string Read(const std::string& name);
  /// "/storage/v1/b/b/o/NAME"
  static std::string PathOf(std::string_view name);
  static std::string Generation(const nlohmann::json& resource) { return resource["generation"]; }

  /// Sends `request` unchanged on a new connection. @returns all received bytes
  std::string Raw(const std::string& request);

  std::unique_ptr<gcs_server::Server> server_;
  std::unique_ptr<http::Transport> transport_;
};

/// Returns varying bytes.
std::string Pattern(std::size_t size);

/// Returns the reason of an error body in Google's form, otherwise the body.
std::string ReasonOf(const http::Response& response);

constexpr std::size_t kQuantum = 256U << 10;

}  // namespace kinetic::test
