#include "gcs/parallel_transfer.h"
#include "http/body.h"
#include "integration/gcs_client_harness.h"
#include "integration/tool_process.h"
#include "support/temp_tree.h"

#include <atomic>
#include <filesystem>
#include <thread>

namespace kinetic::test {
namespace {

using gcs_server::FaultKind;

class ClientComposite : public ClientTest {
 protected:
  Result<std::optional<gcs::Object>> Put(const std::string& name,
                                         const gcs::InsertOptions& options = {.if_generation = 0},
                                         std::stop_token stop = {}) {
    const auto file = http::FileBody::Open(PosixFileSystem(), file_);
    if (!file) return Failure(file.error());
    return Upload().Store(*file, name, options, std::move(stop));
  }
  gcs::CompositeUpload Upload() { return {client_, "parts/", {kQuantum, 4, on_bytes_}}; }
  void Write(std::size_t size) { tree_.Write("file", Pattern(size)); }

  void ExpectStored(const std::string& name, std::size_t size) {
    EXPECT_TRUE(ReadBytes(name) == Pattern(size)) << size;
    EXPECT_EQ(Names({.prefix = "parts/"}), std::vector<std::string>());
  }
  int Inserts() const {
    int count = 0;
    for (const auto& seen : server_->log().All()) {
      count += static_cast<int>(seen.target.starts_with("/upload") && seen.status == 200);
    }
    return count;
  }

  std::uint64_t SentBytes() const {
    std::uint64_t bytes = 0;
    for (const auto& seen : server_->log().All()) bytes += seen.body_bytes;
    return bytes;
  }

  std::function<void(std::uint64_t)> on_bytes_;
  TempTree tree_;
  const Path file_ = tree_ / "file";
};

TEST_F(ClientComposite, StoresEverySize) {
  for (const std::size_t size : {std::size_t{0}, kQuantum, kQuantum + 1, 5 * kQuantum,
                                 32 * kQuantum, 32 * kQuantum + 1, 70 * kQuantum + 7}) {
    Write(size);
    const std::string name = "big/" + std::to_string(size);
    const auto stored = Put(name);
    ASSERT_TRUE(stored) << stored.error().message;
    ASSERT_TRUE(*stored);
    EXPECT_EQ((*stored)->size_bytes, size);
    ExpectStored(name, size);
  }
}

/// A bucket whose policy forbids to compose objects still takes them whole.
TEST_F(ClientComposite, RefusedCompositionsEndInAPlainUpload) {
  struct Refusal {
    int status;
    const char* reason;
  };
  for (const auto& [status, reason] :
       {Refusal{412, "orgPolicyConstraintFailed"}, Refusal{403, "forbidden"},
        Refusal{400, "invalid"}, Refusal{501, "notImplemented"}}) {
    server_->faults().Add({.kind = FaultKind::kAnswer,
                           .path = "*/compose*",
                           .times = 0,
                           .status = status,
                           .reason = reason,
                           .message = "not allowed here"});
    for (const std::size_t parts : {std::size_t{3}, std::size_t{40}}) {
      Write(parts * kQuantum);
      const std::string name = std::to_string(status) + "-" + std::to_string(parts);
      const auto stored = Put(name);
      ASSERT_TRUE(stored) << stored.error().message;
      ASSERT_TRUE(*stored);
      ExpectStored(name, parts * kQuantum);
    }
    server_->faults().Clear();
  }
}

TEST_F(ClientComposite, KeepsMetadataAndTime) {
  Write(3 * kQuantum);
  const WallTime now = SystemClock().Now();
  std::atomic<std::uint64_t> told = 0;
  on_bytes_ = [&](std::uint64_t count) { told += count; };
  const auto stored =
      Put("x", {.if_generation = 0, .metadata = {{"kind", "data"}}, .custom_time = now});
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ((*stored)->metadata.at("kind"), "data");
  EXPECT_TRUE((*stored)->custom_time);
  EXPECT_EQ(told, 3 * kQuantum);
}

TEST_F(ClientComposite, ExistingObjectIsNotSent) {
  Insert("x", "there");
  Write(3 * kQuantum);
  const std::uint64_t before = server_->requests();
  const auto stored = Put("x");
  ASSERT_TRUE(stored);
  EXPECT_FALSE(*stored);
  EXPECT_EQ(server_->requests(), before + 1);
  clock_.Advance(std::chrono::seconds(1));
  const auto replaced = Put("x", {});
  ASSERT_TRUE(replaced && *replaced) << replaced.error().message;
  ExpectStored("x", 3 * kQuantum);
}

TEST_F(ClientComposite, SurvivesEveryFault) {
  Write(3 * kQuantum + 5);
  int number = 0;
  for (const gcs_server::Fault& fault :
       std::vector<gcs_server::Fault>{{.status = 503},
                                      {.kind = FaultKind::kLoseReply},
                                      {.kind = FaultKind::kResetInBody, .at_byte = 300},
                                      {.kind = FaultKind::kTruncateReply, .at_byte = 30},
                                      {.kind = FaultKind::kStallReply, .at_byte = 30}}) {
    for (std::uint64_t at = 0;; ++at) {
      const std::string name = "x" + std::to_string(number++);
      const std::uint64_t first = server_->requests();
      gcs_server::Fault here = fault;
      here.index = first + at;
      server_->faults().Add(here);
      const auto stored = Put(name);
      ASSERT_TRUE(stored) << stored.error().message;
      ASSERT_TRUE(*stored) << "not recognised as ours";
      server_->faults().Clear();
      ExpectStored(name, 3 * kQuantum + 5);
      if (server_->requests() <= first + at + 2) break;  // the checks make two requests
    }
  }
}

TEST_F(ClientComposite, RepeatsDamagedParts) {
  Write(3 * kQuantum);
  server_->faults().Add(
      {.kind = FaultKind::kFlipBody, .path = "/upload*", .skip = 1, .at_byte = 2000});
  const auto stored = Put("x");
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  ExpectStored("x", 3 * kQuantum);
}

TEST_F(ClientComposite, FailureLeavesNoParts) {
  Write(10 * kQuantum);
  server_->SetAccounts({});
  server_->faults().Add({.path = "/upload*parts*", .skip = 4, .times = 0, .status = 403});
  const auto refused = Put("x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(Names(), std::vector<std::string>());
}

TEST_F(ClientComposite, StopLeavesNoParts) {
  Write(20 * kQuantum);
  std::stop_source stop;
  std::atomic<int> parts = 0;
  on_bytes_ = [&](std::uint64_t) {
    if (++parts == 5) stop.request_stop();
  };
  const auto stopped = Put("x", {.if_generation = 0}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  // Requests in progress may still arrive and leave a part.
  EXPECT_LE(Names().size(), 4U);
  for (int round = 0; round < 2000 && !Names().empty(); ++round) {
    ASSERT_TRUE(Upload().RemoveOrphanedParts(clock_.Now() + std::chrono::hours(1), {}));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(Names(), std::vector<std::string>());
}

TEST_F(ClientComposite, DetectsChangedFile) {
  Write(20 * kQuantum);
  std::atomic<bool> changed = false;
  on_bytes_ = [&](std::uint64_t) {
    if (!changed.exchange(true)) Write(20 * kQuantum + 1);
  };
  const auto stored = Put("x");
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, ErrorCode::kAborted) << stored.error().message;
  EXPECT_EQ(Names(), std::vector<std::string>());
}

class KilledClientComposite : public ClientComposite {
 protected:
  std::vector<std::string> Command(const std::string& name) const {
    return {"--endpoint",
            server_->Url(),
            "--part-bytes",
            std::to_string(kQuantum),
            "--connections",
            "2",
            "put-parts",
            name,
            file_};
  }

  /// Runs a client that is killed when its n-th request has been handled but not answered. Returns
  /// false if it ended before.
  bool Kill(const std::string& name, std::uint64_t at) {
    const std::uint64_t first = server_->requests();
    const std::uint64_t open = server_->open_connections();
    server_->faults().Add({.kind = FaultKind::kStallReply, .index = first + at, .at_byte = 1});
    bool reached = false;
    {
      ToolProcess victim(Command(name));
      while (!victim.Ended() && !reached) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        reached = server_->requests() > first + at;
      }
    }
    server_->faults().Clear();
    AwaitKilledClient(open);
    return reached;
  }
};

TEST_F(KilledClientComposite, RepeatedUploadRemovesParts) {
  Write(4 * kQuantum + 9);
  for (std::uint64_t at = 0;; ++at) {
    const std::string name = "x" + std::to_string(at);
    const bool reached = Kill(name, at);
    const bool there = client_.Stat(name, {})->has_value();
    EXPECT_EQ(ToolProcess(Command(name)).Wait(), there ? 3 : 0) << at;
    EXPECT_TRUE(ReadBytes(name) == Pattern(4 * kQuantum + 9));
    if (!reached) break;
  }
  EXPECT_EQ(Names({.prefix = "parts/"}), std::vector<std::string>());
}

TEST_F(KilledClientComposite, NextClientReusesParts) {
  Write(20 * kQuantum);
  ASSERT_TRUE(Kill("x", 10));
  const auto left = Names({.prefix = "parts/"});
  ASSERT_GT(left.size(), 4U);
  server_->log().Clear();
  ASSERT_EQ(ToolProcess(Command("x")).Wait(), 0);
  EXPECT_LE(Inserts(), 20 - static_cast<int>(left.size()));
  EXPECT_LT(SentBytes(), (21 - left.size()) * kQuantum) << "existing parts are not sent";
  ExpectStored("x", 20 * kQuantum);
}

TEST_F(KilledClientComposite, RemovesLeftoversByAge) {
  Write(20 * kQuantum);
  ASSERT_TRUE(Kill("x", 10));
  const auto young = Upload().RemoveOrphanedParts(clock_.Now() - std::chrono::hours(1), {});
  ASSERT_TRUE(young);
  EXPECT_EQ(*young, 0U);
  const auto old = Upload().RemoveOrphanedParts(clock_.Now() + std::chrono::hours(1), {});
  ASSERT_TRUE(old);
  EXPECT_GT(*old, 4U);
  EXPECT_EQ(Names(), std::vector<std::string>());
}

}  // namespace
}  // namespace kinetic::test
