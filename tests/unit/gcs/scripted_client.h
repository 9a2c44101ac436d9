#pragma once

#include "base/hash/crc32c.h"
#include "gcs/client.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kinetic::test {

/// A client with scripted responses.
class GcsTest : public testing::Test {
 protected:
  static std::string Resource(const std::string& name, const std::string& content,
                              const std::string& more = {}) {
    return R"({"name":")" + name + R"(","size":")" + std::to_string(content.size()) +
           R"(","generation":"7","metageneration":"1","crc32c":")" +
           Crc32c().Update(content).Base64() + R"(","updated":"2026-11-21T09:00:00Z")" + more + "}";
  }
  static std::shared_ptr<http::Body> Body(std::string content) {
    return std::make_shared<http::BytesBody>(std::move(content));
  }
  static Error Reset() { return {ErrorCode::kUnavailable, "connection reset", "", {}}; }

  ScriptedTransport transport_;
  FakeClock clock_;
  gcs::Client client_{transport_, clock_, "bucket"};
};

}  // namespace kinetic::test
