#include "gcs/parallel_transfer.h"
#include "integration/gcs_client_harness.h"
#include "integration/tool_process.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <thread>

namespace kinetic::test {
namespace {

using gcs_server::FaultKind;

constexpr std::uint64_t kPartBytes = 100'000;

class ClientParallel : public ClientTest {
 protected:
  Result<std::optional<gcs::Object>> Fetch(const std::string& name,
                                           std::optional<std::int64_t> generation = {},
                                           FileSystem& fs = PosixFileSystem()) {
    TransferOptions options{kPartBytes, 4, on_bytes_};
    return gcs::ParallelDownload(client_, fs, options).Fetch(name, generation, file_, {});
  }

  void ExpectFetched(const std::string& bytes) {
    EXPECT_TRUE(tree_.Read("out/file") == bytes);
    EXPECT_EQ(Files(), 1) << "nothing else is left";
  }
  std::ptrdiff_t Files() const {
    const auto folder = std::filesystem::directory_iterator(tree_ / "out");
    return std::distance(begin(folder), end(folder));
  }
  int Downloads() const {
    int count = 0;
    for (const auto& seen : server_->log().All()) {
      count += static_cast<int>(seen.target.find("alt=media") != std::string::npos);
    }
    return count;
  }
  /// Fails when five of ten parts have arrived.
  void FetchHalf() {
    gcs::ClientOptions options = Options();
    options.retry.max_attempts = 1;
    const gcs::Client impatient(*transport_, clock_, "b", options);
    server_->faults().Add({.path = "*alt=media*", .skip = 5, .times = 0});
    const gcs::ParallelDownload download(impatient, PosixFileSystem(), {kPartBytes, 1, {}});
    ASSERT_FALSE(download.Fetch("x", {}, file_, {}));
    server_->faults().Clear();
    server_->log().Clear();
    ASSERT_EQ(Files(), 2);
  }

  std::function<void(std::uint64_t)> on_bytes_;
  TempTree tree_;
  const Path file_ = tree_.MakeFolder("out") / "file";
  const std::string bytes_ = Pattern(10 * kPartBytes - 3);
};

TEST_F(ClientParallel, FetchesEverySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kPartBytes - 1, kPartBytes,
                                 kPartBytes + 1, 7 * kPartBytes + 77}) {
    const std::string name = std::to_string(size);
    Insert(name, Pattern(size));
    std::atomic<std::uint64_t> told = 0;
    on_bytes_ = [&](std::uint64_t count) { told += count; };
    const auto object = Fetch(name);
    ASSERT_TRUE(object) << object.error().message;
    ASSERT_TRUE(*object);
    EXPECT_EQ((*object)->size_bytes, size);
    EXPECT_EQ(told, size);
    ExpectFetched(Pattern(size));
  }
  const auto absent = Fetch("none");
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
}

TEST_F(ClientParallel, FetchesOneGeneration) {
  const gcs::Object first = Insert("x", bytes_);
  // No part is complete before the object is replaced, and there are more parts than connections.
  std::once_flag replaced;
  on_bytes_ = [&](std::uint64_t) { std::call_once(replaced, [&] { Store("x", "newer"); }); };
  const auto object = Fetch("x");
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kAborted) << object.error().message;
  EXPECT_FALSE(std::filesystem::exists(file_));
  const auto old = Fetch("x", first.generation);
  ASSERT_TRUE(old);
  EXPECT_FALSE(*old);
  ASSERT_TRUE(Fetch("x"));
  ExpectFetched("newer");
}

TEST_F(ClientParallel, SurvivesEveryFault) {
  Insert("x", bytes_);
  for (const gcs_server::Fault& fault :
       std::vector<gcs_server::Fault>{{.status = 503},
                                      {.status = 429, .retry_after = 3},
                                      {.kind = FaultKind::kResetBeforeBody},
                                      {.kind = FaultKind::kResetReply, .at_byte = 50'000},
                                      {.kind = FaultKind::kTruncateReply, .at_byte = 50'000},
                                      {.kind = FaultKind::kStallReply, .at_byte = 50'000}}) {
    for (std::uint64_t at = 0;; ++at) {
      const std::uint64_t first = server_->requests();
      gcs_server::Fault here = fault;
      here.index = first + at;
      server_->faults().Add(here);
      const auto object = Fetch("x");
      ASSERT_TRUE(object) << object.error().message;
      ExpectFetched(bytes_);
      server_->faults().Clear();
      if (server_->requests() <= first + at) break;
    }
  }
}

TEST_F(ClientParallel, RepeatsDamagedParts) {
  Insert("x", bytes_);
  server_->faults().Add(
      {.kind = FaultKind::kFlipReply, .path = "*alt=media*", .skip = 3, .at_byte = 5});
  const auto object = Fetch("x");
  ASSERT_TRUE(object) << object.error().message;
  ExpectFetched(bytes_);
}

TEST_F(ClientParallel, DamagedDownloadKeepsOldFile) {
  tree_.Write("out/file", "old");
  Insert("x", bytes_);
  server_->faults().Add(
      {.kind = FaultKind::kFlipReply, .path = "*alt=media*", .times = 0, .at_byte = 5});
  const auto object = Fetch("x");
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(tree_.Read("out/file"), "old");
}

TEST_F(ClientParallel, ResumesWithExistingParts) {
  Insert("x", bytes_);
  FetchHalf();
  ASSERT_TRUE(Fetch("x"));
  EXPECT_EQ(Downloads(), 5);
  ExpectFetched(bytes_);
}

TEST_F(ClientParallel, RejectsModifiedParts) {
  Insert("x", bytes_);
  FetchHalf();
  std::string partial = tree_.Read("out/file.kinetic-part");
  partial[150'000] = '!';
  tree_.Write("out/file.kinetic-part", partial);
  tree_.Write("out/file.kinetic-parts", tree_.Read("out/file.kinetic-parts") + "9 12");
  ASSERT_TRUE(Fetch("x"));
  EXPECT_EQ(Downloads(), 6);
  ExpectFetched(bytes_);
}

TEST_F(ClientParallel, RestartsForAnotherGeneration) {
  Insert("x", bytes_);
  FetchHalf();
  std::string other = bytes_;
  other[0] = '!';
  Insert("x", other, {});
  ASSERT_TRUE(Fetch("x"));
  ExpectFetched(other);
}

TEST_F(ClientParallel, ReportsFullDisk) {
  Insert("x", bytes_);
  std::atomic<int> writes = 0;
  FaultyFileSystem full(
      [&](std::uint64_t, std::string_view operation, const Path&) -> std::optional<int> {
        if (operation.find("writ") == std::string_view::npos) return std::nullopt;
        return ++writes > 6 ? std::optional<int>(ENOSPC) : std::nullopt;
      });
  const auto object = Fetch("x", {}, full);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kResourceExhausted) << object.error().message;
  EXPECT_FALSE(std::filesystem::exists(file_));
  ASSERT_TRUE(Fetch("x"));
  ExpectFetched(bytes_);
}

/// Kills the client at its first request, the next one at its second, and so on.
TEST_F(ClientParallel, SurvivesKillAtEachRequest) {
  Insert("x", bytes_);
  const std::vector<std::string> get{"--endpoint",
                                     server_->Url(),
                                     "--part-bytes",
                                     std::to_string(kPartBytes),
                                     "--connections",
                                     "2",
                                     "get-parts",
                                     "x",
                                     file_};
  for (std::uint64_t at = 0;; ++at) {
    const std::uint64_t first = server_->requests();
    server_->faults().Add({.kind = FaultKind::kStallReply, .index = first + at, .at_byte = 50});
    bool reached = false;
    {
      ToolProcess victim(get);
      while (!victim.Ended() && !reached) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        reached = server_->requests() > first + at;
      }
    }
    server_->faults().Clear();
    EXPECT_EQ(ToolProcess(get).Wait(), 0);
    ExpectFetched(bytes_);
    if (!reached) {
      EXPECT_EQ(at, 11U);
      return;
    }
    std::filesystem::remove(file_);
  }
}

}  // namespace
}  // namespace kinetic::test
