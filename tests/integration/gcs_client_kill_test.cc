// Clients killed at any byte and started again: bytes that are transferred twice.

#include "integration/gcs_client_harness.h"
#include "integration/tool_process.h"
#include "support/temp_tree.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <thread>

namespace kinetic::test {
namespace {

using gcs_server::Fault;
using gcs_server::FaultKind;
using gcs_server::LoggedRequest;

constexpr std::uint64_t kKilledPartBytes = 9U << 20;
constexpr std::uint64_t kConnections = 2;
/// A server keeps a multiple of this of an interrupted upload.
constexpr std::uint64_t kServerStep = 256U << 10;
constexpr int kRounds = 8;

class ClientKill : public ClientTest {
 protected:
  std::vector<std::string> Command(const std::string& verb, const std::string& name,
                                   const Path& file) const {
    return {"--endpoint",
            server_->Url(),
            "--sessions",
            tree_ / "sessions",
            "--part-bytes",
            std::to_string(kKilledPartBytes),
            "--connections",
            std::to_string(kConnections),
            verb,
            name,
            file};
  }

  /// Runs a client that is killed when the condition holds. Returns false if it ended before.
  bool KillAt(const std::vector<std::string>& command, const Fault& fault) {
    const std::uint64_t open = server_->open_connections();
    server_->faults().Add(fault);
    bool struck = false;
    {
      ToolProcess victim(command);
      while (!victim.Ended() && !struck) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const auto seen = server_->log().All();
        struck = std::ranges::any_of(seen, [](const auto& one) { return !one.fault.empty(); });
      }
    }
    server_->faults().Clear();
    AwaitKilledClient(open);
    return struck;
  }

  std::uint64_t UploadedBytes() const {
    std::uint64_t bytes = 0;
    for (const LoggedRequest& seen : server_->log().All()) {
      if (seen.target.starts_with("/upload")) bytes += seen.body_bytes;
    }
    return bytes;
  }

  /// Returns the bytes of all downloads according to their ranges.
  std::uint64_t AskedBytes() const {
    std::uint64_t bytes = 0;
    for (const LoggedRequest& seen : server_->log().All()) {
      unsigned long long first = 0;
      unsigned long long last = 0;
      const std::string range(seen.headers.Get("Range").value_or(""));
      if (std::sscanf(range.c_str(), "bytes=%llu-%llu", &first, &last) == 2) {
        bytes += last - first + 1;
      }
    }
    return bytes;
  }

  /// Returns the bytes of a download that a killed client has recorded: at least all except one
  /// mebibyte per connection.
  std::uint64_t NotedBytes() const {
    std::map<unsigned long long, unsigned long long> parts;
    if (std::filesystem::exists(tree_ / "out/file.kinetic-parts")) {
      std::istringstream lines(tree_.Read("out/file.kinetic-parts"));
      for (std::string line; std::getline(lines, line);) {
        unsigned long long part = 0;
        unsigned long long there = 0;
        if (std::sscanf(line.c_str(), "%llu %llu ", &part, &there) == 2) parts[part] = there;
      }
    }
    std::uint64_t bytes = 0;
    for (const auto& [part, there] : parts) bytes += there;
    return bytes;
  }

  std::uint64_t Sessions() const {
    const auto folder = std::filesystem::directory_iterator(tree_ / "sessions");
    return static_cast<std::uint64_t>(std::distance(begin(folder), end(folder)));
  }

  std::mt19937_64 random_{20261121};
  TempTree tree_;
  const std::string bytes_ = Pattern(4 * kKilledPartBytes - 1234);
  const Path file_ = tree_.Write("file", bytes_);
};

TEST_F(ClientKill, UploadResumes) {
  int killed = 0;
  for (const char* verb : {"put", "put-parts"}) {
    for (int round = 0; round < kRounds; ++round) {
      const std::string name = verb + std::to_string(round);
      const std::uint64_t longest = verb == std::string("put") ? bytes_.size() : kKilledPartBytes;
      const Fault cut{.method = "PUT",
                      .skip = verb == std::string("put") ? 0 : static_cast<int>(random_() % 8),
                      .status = 503,
                      .at_byte = random_() % longest};
      server_->log().Clear();
      killed += static_cast<int>(KillAt(Command(verb, name, file_), cut));
      const int code = ToolProcess(Command(verb, name, file_)).Wait();
      EXPECT_TRUE(code == 0 || code == 3) << verb << round;
      EXPECT_TRUE(ReadBytes(name) == bytes_) << verb << round;
      // Includes the sizes and metadata that frame the interrupted bytes.
      EXPECT_LT(UploadedBytes(), bytes_.size() + 2 * kConnections * kServerStep) << verb << round;
      // A client may be killed after a part was stored and before its session was removed.
      EXPECT_LE(Sessions(), longest == kKilledPartBytes ? kConnections : 0) << verb << round;
      EXPECT_EQ(Names({.prefix = "parts/"}), std::vector<std::string>());
      ASSERT_TRUE(client_.Delete(name, {}, {}));
      std::filesystem::remove_all(tree_ / "sessions");
    }
  }
  EXPECT_GT(killed, kRounds) << "the test kills";
}

TEST_F(ClientKill, DownloadResumes) {
  Insert("x", bytes_);
  const Path out = tree_.MakeFolder("out") / "file";
  int killed = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Fault cut{.kind = FaultKind::kResetReply,
                    .path = "*alt=media*",
                    .skip = static_cast<int>(random_() % 4),
                    .at_byte = random_() % kKilledPartBytes};
    server_->log().Clear();
    killed += static_cast<int>(KillAt(Command("get-parts", "x", out), cut));
    const std::uint64_t noted = NotedBytes();
    server_->log().Clear();
    ASSERT_EQ(ToolProcess(Command("get-parts", "x", out)).Wait(), 0);
    EXPECT_TRUE(tree_.Read("out/file") == bytes_);
    EXPECT_EQ(AskedBytes(), bytes_.size() - noted);
    const auto folder = std::filesystem::directory_iterator(tree_ / "out");
    EXPECT_EQ(std::distance(begin(folder), end(folder)), 1);
    std::filesystem::remove(out);
  }
  EXPECT_GT(killed, kRounds / 2) << "the test kills";
}

}  // namespace
}  // namespace kinetic::test
