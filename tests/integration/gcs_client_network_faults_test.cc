#include "gcs/parallel_transfer.h"
#include "integration/gcs_client_harness.h"
#include "support/go_program.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

namespace kinetic::test {
namespace {

const GoModule kToxiproxy{"github.com/Shopify/toxiproxy/v2/cmd/server", "v2.12.0", "server"};

/// The client and a server with a faulty network between them.
class Toxic : public ClientTest {
 protected:
  void SetUp() override {
    const auto program = Build(kToxiproxy);
    if (!program)
      GTEST_SKIP() << kToxiproxy.package << " is built with Go, which cannot be installed";
    const std::uint16_t control = FreePort();
    control_ = "http://127.0.0.1:" + std::to_string(control);
    // Its own environment variable disables its output.
    proxy_ = StartServer(
        {program->string(), "-host", "127.0.0.1", "-port", std::to_string(control)}, control);
    ASSERT_TRUE(proxy_) << "it does not start";
    const std::string listen = "127.0.0.1:" + std::to_string(FreePort());
    Control("POST", "/proxies",
            {{"name", "gcs"},
             {"listen", listen},
             {"upstream", "127.0.0.1:" + std::to_string(server_->port())}});
    gcs::ClientOptions options = Options();
    options.endpoint = "http://" + listen;
    options.stall_timeout = std::chrono::milliseconds(1000);
    through_.emplace(*transport_, clock_, "b", options);
  }

  void Control(const std::string& method, const std::string& path,
               const nlohmann::json& body = nlohmann::json::object()) {
    const auto response = Try(method, control_ + path, body.dump());
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status / 100, 2) << response->body;
  }
  void Poison(const std::string& type, const std::string& stream, const nlohmann::json& how,
              double toxicity = 1) {
    Control("POST", "/proxies/gcs/toxics",
            {{"type", type}, {"stream", stream}, {"attributes", how}, {"toxicity", toxicity}});
  }

  /// Uploads and downloads a large object and a small one.
  void ExpectEverythingWorks() {
    const std::string large = Pattern(kLargeBytes);
    const auto stored = through_->Insert("large", Body(large), {.if_generation = 0}, {});
    ASSERT_TRUE(stored) << stored.error().message;
    ASSERT_TRUE(*stored) << "not recognised as ours";
    std::string bytes;
    const auto read = through_->Read("large", {}, Into(bytes), {});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(bytes == large);
    ASSERT_TRUE(through_->Insert("small", Body("small"), {.if_generation = 0}, {}));
    TempTree tree;
    const gcs::ParallelDownload download(*through_, PosixFileSystem(), {1U << 20, 4, {}});
    const auto fetched = download.Fetch("large", {}, tree / "file", {});
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_TRUE(tree.Read("file") == large);
  }

  std::string control_;
  std::unique_ptr<ChildProcess> proxy_;
  std::optional<gcs::Client> through_;
};

TEST_F(Toxic, WorksWithoutFaults) { ExpectEverythingWorks(); }

TEST_F(Toxic, Latency) {
  Poison("latency", "downstream", {{"latency", 100}, {"jitter", 30}});
  ExpectEverythingWorks();
}

TEST_F(Toxic, InterruptedUploads) {
  Poison("limit_data", "upstream", {{"bytes", 2'000'000}});
  ExpectEverythingWorks();
}

TEST_F(Toxic, InterruptedDownloads) {
  Poison("limit_data", "downstream", {{"bytes", 1'500'000}});
  ExpectEverythingWorks();
}

TEST_F(Toxic, ResetsOfHalfTheConnections) {
  Poison("reset_peer", "downstream", {{"timeout", 0}}, 0.5);
  ExpectEverythingWorks();
}

TEST_F(Toxic, SlicesOfFewBytes) {
  Poison("slicer", "downstream",
         {{"average_size", 20'000}, {"size_variation", 9'000}, {"delay", 50}});
  ExpectEverythingWorks();
}

TEST_F(Toxic, LowBandwidth) {
  Poison("bandwidth", "downstream", {{"rate", 8'000}});
  Poison("bandwidth", "upstream", {{"rate", 8'000}});
  ExpectEverythingWorks();
}

TEST_F(Toxic, SilenceOfHalfTheConnections) {
  Poison("timeout", "downstream", {{"timeout", 0}}, 0.5);
  ExpectEverythingWorks();
}

TEST_F(Toxic, ReportsSilence) {
  Poison("timeout", "downstream", {{"timeout", 0}});
  const auto stat = through_->Stat("x", {});
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().code, ErrorCode::kDeadlineExceeded) << stat.error().message;
}

TEST_F(Toxic, ReportsRefusedConnection) {
  Control("POST", "/proxies/gcs", {{"enabled", false}});
  const auto stat = through_->Stat("x", {});
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().code, ErrorCode::kUnavailable) << stat.error().message;
  EXPECT_THAT(stat.error().message, testing::ContainsRegex("after [1-9][0-9]+ attempts in"));
}

}  // namespace
}  // namespace kinetic::test
