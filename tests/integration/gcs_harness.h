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

/// A server of its own with one bucket, and our transport to speak to it.
class GcsServerTest : public ::testing::Test {
 protected:
  explicit GcsServerTest(gcs_server::Options options = {});

  Result<http::Response> Try(const std::string& method, const std::string& path,
                             std::string body = {}, http::Headers headers = {});
  /// The same on a new connection: on one that was used before, the transport tries once more when
  /// it dies.
  Result<http::Response> TryAlone(const std::string& method, const std::string& path,
                                  std::string body = {});
  /// Fails the test when there is no answer.
  http::Response Do(const std::string& method, const std::string& path, std::string body = {},
                    http::Headers headers = {});
  /// The body of a 200 as JSON; fails the test for any other.
  nlohmann::json Json(const std::string& method, const std::string& path, std::string body = {},
                      http::Headers headers = {});

  /// By media upload. @returns the resource
  nlohmann::json Store(const std::string& name, const std::string& bytes);
  std::string Read(const std::string& name);
  /// "/storage/v1/b/b/o/NAME"
  static std::string PathOf(std::string_view name);
  static std::string Generation(const nlohmann::json& resource) { return resource["generation"]; }

  /// Sends `request` as it is on a connection of its own. @returns all that comes back.
  std::string Raw(const std::string& request);

  std::unique_ptr<gcs_server::Server> server_;
  std::unique_ptr<http::Transport> transport_;
};

/// Bytes that are not all alike.
std::string Pattern(std::size_t size);

/// The reason in an error body of Google's form; the body itself when it has another.
std::string ReasonOf(const http::Response& response);

constexpr std::size_t kQuantum = 256U << 10;

}  // namespace kinetic::test
