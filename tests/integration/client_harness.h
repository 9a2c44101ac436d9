#pragma once

#include "gcs/client.h"
#include "integration/gcs_harness.h"
#include "support/fake_clock.h"

#include <optional>
#include <string>

namespace kinetic::test {

/// Our client on a server of its own. The client's delays pass at once; the network's do not.
class ClientTest : public GcsServerTest {
 protected:
  explicit ClientTest(gcs_server::Options options = {}) : GcsServerTest(std::move(options)) {}

  static std::shared_ptr<http::Body> Body(std::string bytes) {
    return std::make_shared<http::BytesBody>(std::move(bytes));
  }
  gcs::ClientOptions Options() const;

  /// Fails the test when nothing was stored.
  gcs::Object Insert(const std::string& name, const std::string& bytes,
                     const gcs::InsertOptions& options = {.if_generation = 0});
  /// The bytes and what is known of them; nothing when there is no such object, or an error, which
  /// fails the test.
  std::optional<std::string> ReadBytes(const std::string& name,
                                       const gcs::ReadOptions& options = {});
  std::vector<std::string> Names(const gcs::ListOptions& options = {});

  /// Waits until all that a client asked for that was killed is done, or given up.
  ///
  /// @param open_before  connections, when it was started; nobody else has opened one since.
  void AwaitEndOfDead(std::uint64_t open_before);

  FakeClock clock_;
  gcs::Client client_{*transport_, clock_, "b", Options()};
};

/// What collects bytes.
http::Sink Into(std::string& bytes);

/// Larger than what goes in one request, and no multiple of anything.
inline constexpr std::size_t kLargeBytes = (9U << 20) + 77;

}  // namespace kinetic::test
