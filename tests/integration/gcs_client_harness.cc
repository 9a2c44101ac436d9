#include "integration/gcs_client_harness.h"

#include <thread>

namespace kinetic::test {

gcs::ClientOptions ClientTest::Options() const {
  gcs::ClientOptions options;
  options.endpoint = server_->Url();
  options.stall_timeout = std::chrono::milliseconds(150);
  return options;
}

gcs::Object ClientTest::Insert(const std::string& name, const std::string& bytes,
                               const gcs::InsertOptions& options) {
  const auto object = client_.Insert(name, Body(bytes), options, {});
  EXPECT_TRUE(object) << object.error().message;
  EXPECT_TRUE(object && *object) << name << " was there";
  return object && *object ? **object : gcs::Object{};
}

std::optional<std::string> ClientTest::ReadBytes(const std::string& name,
                                                 const gcs::ReadOptions& options) {
  std::string bytes;
  const auto object = client_.Read(name, options, Into(bytes), {});
  EXPECT_TRUE(object) << object.error().message;
  if (!object || !*object) return std::nullopt;
  return bytes;
}

std::vector<std::string> ClientTest::Names(const gcs::ListOptions& options) {
  std::vector<std::string> names;
  const auto each = [&](const gcs::Object& object) -> Result<bool> {
    names.push_back(object.name);
    return true;
  };
  const Status listed = client_.List(options, each, nullptr, {});
  EXPECT_TRUE(listed) << listed.error().message;
  return names;
}

void ClientTest::AwaitKilledClient(std::uint64_t open_before) {
  // Connections are accepted in order: once this one is served, those of the dead client are as
  // well.
  (void)Raw("GET /_control/requests HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  while (server_->open_connections() > open_before) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

http::Sink Into(std::string& bytes) {
  return [&bytes](std::string_view piece) -> Status {
    bytes += piece;
    return {};
  };
}

}  // namespace kinetic::test
