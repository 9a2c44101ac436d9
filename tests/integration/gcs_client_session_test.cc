#include "gcs/upload/sessions.h"
#include "integration/gcs_client_harness.h"
#include "integration/tool_process.h"
#include "support/temp_tree.h"

#include <filesystem>
#include <thread>

namespace kinetic::test {
namespace {

using gcs_server::FaultKind;
using gcs_server::LoggedRequest;

constexpr std::uint64_t kArrivedBytes = 5U << 20;

class ClientSession : public ClientTest {
 protected:
  /// One run of a client.
  Result<std::optional<gcs::Object>> Upload(const std::string& bytes, const std::string& source,
                                            const gcs::InsertOptions& more = {}) {
    gcs::ClientOptions options = Options();
    options.sessions = &files_;
    options.retry.budget = std::chrono::seconds(60);
    const gcs::Client client(*transport_, clock_, "b", options);
    gcs::InsertOptions insert = more;
    insert.if_generation = 0;
    insert.source = source;
    return client.Insert("x", Body(bytes), insert, {});
  }

  /// A client whose network fails after 5 MiB.
  void BeginAndGiveUp(const std::string& bytes, const std::string& source) {
    server_->faults().Add({.method = "PUT", .status = 503, .at_byte = kArrivedBytes});
    server_->faults().Add({.method = "PUT", .times = 0, .status = 503});
    ASSERT_FALSE(Upload(bytes, source));
    server_->faults().Clear();
    ASSERT_EQ(Kept(), 1);
    server_->log().Clear();
  }

  std::ptrdiff_t Kept() const {
    const auto folder = std::filesystem::directory_iterator(tree_ / "sessions");
    return std::distance(begin(folder), end(folder));
  }

  /// Returns the ranges of all PUT requests.
  std::vector<std::string> Ranges() const {
    std::vector<std::string> ranges;
    for (const LoggedRequest& seen : server_->log().All()) {
      if (seen.method == "PUT") {
        ranges.emplace_back(seen.headers.Get("Content-Range").value_or(""));
      }
    }
    return ranges;
  }

  void ExpectStored(const std::string& bytes) {
    EXPECT_TRUE(ReadBytes("x") == bytes);
    EXPECT_EQ(Kept(), 0) << "a session that is over is forgotten";
  }

  const std::string bytes_ = Pattern(kLargeBytes);
  TempTree tree_;
  gcs::FileSessionStore files_{PosixFileSystem(), SystemClock(), tree_ / "sessions"};
};

TEST_F(ClientSession, IsResumedByNextClient) {
  BeginAndGiveUp(bytes_, "same");
  const auto stored = Upload(bytes_, "same");
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  EXPECT_EQ(Ranges(), (std::vector<std::string>{"bytes */9437261", "bytes 5242880-9437183/9437261",
                                                "bytes 9437184-9437260/9437261"}));
  ExpectStored(bytes_);
}

TEST_F(ClientSession, IsRestartedForOtherContent) {
  BeginAndGiveUp(bytes_, "before");
  std::string changed = bytes_;
  changed[3] = '!';
  const auto stored = Upload(changed, "after");
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  EXPECT_TRUE(ReadBytes("x") == changed);
}

TEST_F(ClientSession, IsRestartedForOtherContentOfSameName) {
  BeginAndGiveUp(bytes_, "lie");
  std::string changed = bytes_;
  changed[3] = '!';
  const auto stored = Upload(changed, "lie");
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  ExpectStored(changed);
}

TEST_F(ClientSession, ExpiredSessionIsRestarted) {
  for (const int status : {404, 410}) {
    BeginAndGiveUp(bytes_, "same");
    server_->EndSessions(status);
    const auto stored = Upload(bytes_, "same");
    ASSERT_TRUE(stored && *stored) << stored.error().message;
    ExpectStored(bytes_);
    ASSERT_TRUE(client_.Delete("x", {}, {}));
  }
}

TEST_F(ClientSession, InvalidSessionIsRestarted) {
  BeginAndGiveUp(bytes_, "same");
  for (const auto& file : std::filesystem::directory_iterator(tree_ / "sessions")) {
    tree_.Write("sessions/" + file.path().filename().string(),
                R"({"mark":"m","session":")" + server_->Url() + R"(/storage/v1/b/b/o/x"})");
  }
  const auto stored = Upload(bytes_, "same");
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  ExpectStored(bytes_);
}

TEST_F(ClientSession, FinishedSessionIsRecognized) {
  server_->faults().Add({.kind = FaultKind::kLoseReply, .method = "PUT", .skip = 1});
  server_->faults().Add({.method = "PUT", .skip = 1, .times = 0, .status = 503});
  ASSERT_FALSE(Upload(bytes_, "same"));
  server_->faults().Clear();
  const auto stored = Upload(bytes_, "same");
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_TRUE(*stored) << "what the client before stored is ours";
  ExpectStored(bytes_);
}

TEST_F(ClientSession, HasCustomTimeOfLastClient) {
  const WallTime now = SystemClock().Now();
  BeginAndGiveUp(bytes_, "same");
  const auto stored = Upload(bytes_, "same", {.custom_time = now});
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  ASSERT_TRUE((*stored)->custom_time);
  EXPECT_LT(now - *(*stored)->custom_time, std::chrono::seconds(1));
}

TEST_F(ClientSession, UnwritableSessionFileIsIgnored) {
  tree_.Write("sessions", "a file where the folder should be");
  const auto stored = Upload(bytes_, "same");
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  EXPECT_TRUE(ReadBytes("x") == bytes_);
}

/// Kills the client at its first request, the next one at its second, and so on. The server
/// completes the request.
TEST_F(ClientSession, SurvivesKillAtEachRequest) {
  const Path file = tree_.Write("file", bytes_);
  for (std::uint64_t at = 0;; ++at) {
    const std::string name = "killed" + std::to_string(at);
    const std::vector<std::string> put{
        "--endpoint", server_->Url(), "--sessions", tree_ / "sessions", "put", name, file};
    const std::uint64_t first = server_->requests();
    server_->faults().Add({.kind = FaultKind::kStallBody, .index = first + at, .at_byte = 0});
    bool reached = false;
    {
      ToolProcess victim(put);
      while (!victim.Ended() && !reached) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        reached = server_->requests() > first + at;
      }
      victim.Kill();
    }
    server_->faults().Clear();
    ToolProcess second(put);
    const int code = second.Wait();
    EXPECT_TRUE(ReadBytes(name) == bytes_) << at;
    if (!reached) {
      EXPECT_EQ(code, 3) << "the first one had done it";
      EXPECT_GT(at, 2U);
      return;
    }
    EXPECT_EQ(code, 0) << at;
    EXPECT_EQ(Kept(), 0);
  }
}

TEST_F(ClientSession, ResumesAtOffsetOfServer) {
  const Path file = tree_.Write("file", bytes_);
  const std::vector<std::string> put{
      "--endpoint", server_->Url(), "--sessions", tree_ / "sessions", "put", "x", file};
  server_->faults().Add({.method = "PUT", .status = 503, .at_byte = kArrivedBytes});
  server_->faults().Add({.kind = FaultKind::kStallBody, .method = "PUT"});
  {
    ToolProcess victim(put);
    // The start, 5 MiB of content, and the status query.
    while (!victim.Ended() && server_->requests() < 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_FALSE(victim.Ended());
    victim.Kill();
  }
  server_->faults().Clear();
  server_->log().Clear();
  ASSERT_EQ(Kept(), 1);
  EXPECT_EQ(ToolProcess(put).Wait(), 0);
  const auto ranges = Ranges();
  ASSERT_GE(ranges.size(), 2U);
  EXPECT_EQ(ranges.at(ranges.size() - 2), "bytes 5242880-9437183/9437261");
  ExpectStored(bytes_);
}

}  // namespace
}  // namespace kinetic::test
