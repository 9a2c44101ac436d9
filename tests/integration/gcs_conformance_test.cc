#include "base/hash/crc32c.h"
#include "base/time/clock.h"
#include "curl/transport.h"
#include "gcs/parallel_transfer.h"
#include "http/body.h"
#include "integration/gcs_client_harness.h"
#include "support/go_program.h"
#include "support/temp_tree.h"

#include <algorithm>

namespace kinetic::test {
namespace {

const GoModule kFakeServer{"github.com/fsouza/fake-gcs-server", "v1.56.1", "fake-gcs-server"};

enum class Kind : std::uint8_t { kOurs, kFake };

/// Behavior that Cloud Storage and both stand-ins share. Other tests cover what only one of them
/// supports.
class BothServers : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    auto engine = curl::StartEngine();
    ASSERT_TRUE(engine);
    transport_ = std::make_unique<curl::CurlTransport>(*engine, curl::Options{});
    gcs::ClientOptions options;
    options.endpoint = GetParam() == Kind::kOurs ? StartOurs() : StartFake();
    if (options.endpoint.empty())
      GTEST_SKIP() << kFakeServer.package << " is built with Go, which cannot be installed";
    CreateBucket(options.endpoint);
    client_.emplace(*transport_, clock_, "both", options);
  }

  void CreateBucket(const std::string& endpoint) {
    http::Request request;
    request.method = "POST";
    request.url = endpoint + "/storage/v1/b?project=p";
    request.headers.Set("Content-Type", "application/json");
    request.body = std::make_shared<http::BytesBody>(R"({"name":"both"})");
    const auto response = transport_->Send(request, {});
    ASSERT_TRUE(response) << response.error().message;
    ASSERT_EQ(response->status, 200) << response->body;
  }

  std::string StartOurs() {
    ours_ = gcs_server::Server::Start(WithoutChangeLimit());
    return ours_->Url();
  }

  std::string StartFake() {
    const auto program = Build(kFakeServer);
    if (!program) return {};
    const std::uint16_t port = FreePort();
    const std::string host = "127.0.0.1:" + std::to_string(port);
    fake_ = StartServer({program->string(), "-backend", "memory", "-scheme", "http", "-host",
                         "127.0.0.1", "-port", std::to_string(port), "-public-host", host,
                         "-external-url", "http://" + host, "-log-level", "error"},
                        port);
    EXPECT_TRUE(fake_) << "it does not start";
    return fake_ ? "http://" + host : "";
  }

  gcs::Object Insert(const std::string& name, const std::string& bytes,
                     const gcs::InsertOptions& options = {.if_generation = 0}) {
    const auto stored =
        client_->Insert(name, std::make_shared<http::BytesBody>(bytes), options, {});
    EXPECT_TRUE(stored) << stored.error().message;
    EXPECT_TRUE(stored && *stored) << name;
    return stored && *stored ? **stored : gcs::Object{};
  }
  std::string ReadBytes(const std::string& name, const gcs::ReadOptions& options = {}) {
    std::string bytes;
    const auto read = client_->Read(name, options, Into(bytes), {});
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read && *read) << name;
    return bytes;
  }
  std::vector<std::string> Names(const gcs::ListOptions& options) {
    std::vector<std::string> names;
    const auto each = [&](const gcs::Object& object) -> Result<bool> {
      names.push_back(object.name);
      return true;
    };
    EXPECT_TRUE(client_->List(options, each, &prefixes_, {}));
    return names;
  }

  FakeClock clock_;
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<gcs_server::Server> ours_;
  std::unique_ptr<ChildProcess> fake_;
  std::optional<gcs::Client> client_;
  std::vector<std::string> prefixes_;
};

TEST_P(BothServers, StoreObjectsOfAnySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kQuantum, kLargeBytes}) {
    const std::string name = "o/" + std::to_string(size);
    const gcs::Object stored = Insert(name, Pattern(size));
    EXPECT_EQ(stored.size_bytes, size);
    EXPECT_EQ(stored.crc32c, Crc32c().Update(Pattern(size)).Base64());
    EXPECT_TRUE(ReadBytes(name) == Pattern(size)) << size;
  }
}

TEST_P(BothServers, CreateOnce) {
  for (const std::size_t size : {std::size_t{5}, kLargeBytes}) {
    const std::string name = "once/" + std::to_string(size);
    Insert(name, Pattern(size));
    const auto again = client_->Insert(
        name, std::make_shared<http::BytesBody>(std::string(size, 'x')), {.if_generation = 0}, {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(*again);
    EXPECT_TRUE(ReadBytes(name) == Pattern(size));
  }
}

TEST_P(BothServers, ReadRanges) {
  const std::string bytes = Pattern(1'000'000);
  Insert("r", bytes);
  EXPECT_TRUE(ReadBytes("r", {.offset = 7, .length = 999'000}) == bytes.substr(7, 999'000));
  EXPECT_TRUE(ReadBytes("r", {.offset = 999'999}) == bytes.substr(999'999));
  EXPECT_EQ(ReadBytes("r", {.offset = 1'000'000}), "");
}

TEST_P(BothServers, AcceptUnusualNames) {
  for (const std::string name : {"a b+c", "ä/ß", "q?x=1#f", "100%", "b/o/x"}) {
    Insert(name, name);
    EXPECT_EQ(ReadBytes(name), name);
  }
}

TEST_P(BothServers, ListByPrefixStartAndDelimiter) {
  for (const char* name : {"l/a/1", "l/a/2", "l/b/1", "l/z", "m"}) Insert(name, "x");
  EXPECT_EQ(Names({.prefix = "l/"}), (std::vector<std::string>{"l/a/1", "l/a/2", "l/b/1", "l/z"}));
  EXPECT_EQ(Names({.prefix = "l/", .start = "l/b"}), (std::vector<std::string>{"l/b/1", "l/z"}));
  prefixes_.clear();
  EXPECT_EQ(Names({.prefix = "l/", .delimiter = "/"}), (std::vector<std::string>{"l/z"}));
  EXPECT_EQ(prefixes_, (std::vector<std::string>{"l/a/", "l/b/"}));
}

TEST_P(BothServers, KeepMetadataAndTime) {
  const WallTime time = *ParseTime("2026-11-21T09:00:00Z");
  Insert("k", "x", {.metadata = {{"kind", "test"}}, .custom_time = time});
  const auto stat = client_->Stat("k", {});
  ASSERT_TRUE(stat && *stat);
  EXPECT_EQ((*stat)->metadata.at("kind"), "test");
  EXPECT_EQ((*stat)->custom_time, time);
}

TEST_P(BothServers, Compose) {
  const std::vector<gcs::Object> parts{Insert("p1", "one "), Insert("p2", "two")};
  const auto whole = client_->Compose(parts, "whole", {.if_generation = 0}, {});
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_TRUE(*whole);
  EXPECT_EQ(ReadBytes("whole"), "one two");
}

TEST_P(BothServers, DeleteOneAndMany) {
  using enum gcs::Client::DeleteResult;
  for (const char* name : {"d1", "d2", "d/ü 3"}) Insert(name, "x");
  EXPECT_EQ(client_->Delete("d1", {}, {}), kDeleted);
  EXPECT_EQ(client_->Delete("d1", {}, {}), kAbsent);
  const auto deleted = client_->DeleteAll({{"d2", {}}, {"never", {}}, {"d/ü 3", {}}}, {});
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_EQ(*deleted, (std::vector{kDeleted, kAbsent, kDeleted}));
  EXPECT_EQ(Names({}), std::vector<std::string>());
}

TEST_P(BothServers, TransferLargeObjectsInParts) {
  TempTree tree;
  const Path file = tree.Write("up", Pattern(5 * kQuantum + 3));
  const TransferOptions parts{kQuantum, 4, {}};
  const gcs::CompositeUpload upload(*client_, "parts/", parts);
  const auto body = http::FileBody::Open(PosixFileSystem(), file);
  ASSERT_TRUE(body);
  const auto stored = upload.Store(*body, "big", {.if_generation = 0}, {});
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(Names({}), std::vector<std::string>{"big"});
  const gcs::ParallelDownload download(*client_, PosixFileSystem(), parts);
  const auto fetched = download.Fetch("big", {}, tree / "down", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(tree.Read("down") == Pattern(5 * kQuantum + 3));
}

std::string NameOf(const testing::TestParamInfo<Kind>& kind) {
  return kind.param == Kind::kOurs ? "Ours" : "Fake";
}

INSTANTIATE_TEST_SUITE_P(, BothServers, testing::Values(Kind::kOurs, Kind::kFake), NameOf);

}  // namespace
}  // namespace kinetic::test
