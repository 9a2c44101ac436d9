#pragma once

#include "kube/client.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::test {

/// A kind that the server in the script does not serve.
inline constexpr kube::Resource kUnservedKind{"kueue.x-k8s.io", "v1beta1", "workloads"};

/// A client over a script.
class KubeTest : public testing::Test {
 protected:
  /// A Status object as the API server writes it. @param more  members: `,"details":{…}`.
  static std::string Refusal(int code, const std::string& reason, const std::string& message,
                             const std::string& more = {}) {
    Value text(message);
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)" +
           text.ToJson() + R"(,"reason":")" + reason + R"(","code":)" + std::to_string(code) +
           more + "}";
  }
  static std::string Object(const std::string& name, const std::string& uid,
                            const std::string& version) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ml","uid":")" + uid +
           R"(","resourceVersion":")" + version + R"("},"spec":{}})";
  }
  static std::string ListOf(const std::string& version, const std::string& items,
                            const std::string& next = {}) {
    return R"({"kind":"List","metadata":{"resourceVersion":")" + version + R"(","continue":")" +
           next + R"("},"items":[)" + items + "]}";
  }
  static Value Json(const std::string& text) { return Value::FromJson(text).value_or(Value()); }
  static Error Reset() { return {ErrorCode::kUnavailable, "connection reset", "", {}}; }
  static std::string DetailOf(const Error& error, std::string_view key) {
    for (const auto& [name, value] : error.details) {
      if (name == key) return value;
    }
    return {};
  }

  ScriptedTransport transport_;
  FakeClock clock_;
  kube::Client client_{transport_, clock_, {.server = "https://c"}};
};

}  // namespace kinetic::test
