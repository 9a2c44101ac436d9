#pragma once

#include "gcs/client.h"
#include "integration/gcs_server_harness.h"
#include "support/fake_clock.h"

#include <optional>
#include <string>

namespace kinetic::test {

/// The clock of a client and its server, which exists before both.
struct SharedClock {
  FakeClock clock_;
};

/// The storage client with its own server. Delays of the client pass at once, those of the network
/// do not.
class ClientTest : protected SharedClock, public GcsServerTest {
 protected:
  explicit ClientTest(gcs_server::Options options = {})
      : GcsServerTest(WithClock(std::move(options), clock_)) {}

  static gcs_server::Options WithClock(gcs_server::Options options, Clock& clock) {
    options.behavior.clock = &clock;
    return options;
  }

  static std::shared_ptr<http::Body> Body(std::string bytes) {
    return std::make_shared<http::BytesBody>(std::move(bytes));
  }
  gcs::ClientOptions Options() const;

  /// Fails the test if nothing was stored.
  gcs::Object Insert(const std::string& name, const std::string& bytes,
                     const gcs::InsertOptions& options = {.if_generation = 0});
  /// Replaces an object a second later, as the server's limit on changes demands.
  nlohmann::json Store(const std::string& name, const std::string& bytes) {
    clock_.Advance(std::chrono::seconds(1));
    return GcsServerTest::Store(name, bytes);
  }
  /// Returns content and metadata, or nullopt if the object does not exist. Fails the test on an
  /// error.
  std::optional<std::string> ReadBytes(const std::string& name,
                                       const gcs::ReadOptions& options = {});
  std::vector<std::string> Names(const gcs::ListOptions& options = {});

  /// Waits until all requests of a killed client are completed or abandoned.
  ///
  /// @param open_before  connections when it was started; no other client may open one meanwhile.
  void AwaitKilledClient(std::uint64_t open_before);

  gcs::Client client_{*transport_, clock_, "b", Options()};
};

/// Returns a consumer that collects bytes.
http::Sink Into(std::string& bytes);

/// Larger than a single request, and no multiple of a part size.
inline constexpr std::size_t kLargeBytes = (9U << 20) + 77;

}  // namespace kinetic::test
