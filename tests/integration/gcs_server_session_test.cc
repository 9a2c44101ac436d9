#include "integration/gcs_server_harness.h"
#include "support/temp_tree.h"

#include <algorithm>
#include <filesystem>
#include <thread>

namespace kinetic::test {
namespace {

class GcsSession : public GcsServerTest {
 protected:
  std::string Begin(const std::string& query = "&name=r", http::Headers headers = {},
                    const std::string& metadata = "{}") {
    const auto response = Do("POST", "/upload/storage/v1/b/b/o?uploadType=resumable" + query,
                             metadata, std::move(headers));
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.body, "");
    return std::string(response.headers.Get("Location").value_or(""));
  }

  http::Response Put(const std::string& session, const std::string& range,
                     const std::string& bytes = {}, http::Headers headers = {}) {
    if (!range.empty()) headers.Add("Content-Range", "bytes " + range);
    return Do("PUT", session, bytes, std::move(headers));
  }

  /// Expects a 308 with the given Range, or without one if empty.
  static void ExpectStored(const http::Response& response, const std::string& range) {
    EXPECT_EQ(response.status, 308) << response.body;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(response.headers.Get("Range").value_or(""), range);
  }

  const std::string bytes_ = Pattern(2 * kQuantum + 1000);
  const std::string first_ = bytes_.substr(0, kQuantum);
};

TEST_F(GcsSession, AcceptsOnePut) {
  for (const std::string range : {"", "0-525287/525288"}) {
    EXPECT_EQ(Put(Begin(), range, bytes_).status, 200);
    EXPECT_EQ(Read("r"), bytes_);
  }
}

TEST_F(GcsSession, AcceptsChunks) {
  const std::string session = Begin("&name=r", {{"X-Upload-Content-Type", "text/css"}});
  ExpectStored(Put(session, "*/*"), "");
  ExpectStored(Put(session, "0-262143/*", first_), "bytes=0-262143");
  ExpectStored(Put(session, "*/*"), "bytes=0-262143");
  ExpectStored(Put(session, "262144-524287/525288", bytes_.substr(kQuantum, kQuantum)),
               "bytes=0-524287");
  EXPECT_EQ(Do("GET", PathOf("r")).status, 404) << "not complete yet";
  const auto last = Put(session, "524288-525287/525288", bytes_.substr(2 * kQuantum));
  ASSERT_EQ(last.status, 200);
  EXPECT_EQ(nlohmann::json::parse(last.body)["contentType"], "text/css");
  EXPECT_EQ(Read("r"), bytes_);
}

TEST_F(GcsSession, FinishedSessionReturnsMetadata) {
  const std::string session = Begin();
  const auto done = Put(session, "", bytes_);
  for (const std::string range : {"*/*", "*/525288", "0-525287/525288"}) {
    const auto again = Put(session, range, range.starts_with('*') ? "" : bytes_);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, done.body);
  }
  EXPECT_EQ(Json("GET", PathOf("r"))["metageneration"], "1");
}

TEST_F(GcsSession, AcceptsUnknownTotal) {
  const std::string session = Begin();
  ExpectStored(Put(session, "0-262143/*", first_), "bytes=0-262143");
  EXPECT_EQ(Put(session, "*/262143").status, 400) << "less than there is";
  ExpectStored(Put(session, "*/262145"), "bytes=0-262143");
  const std::string other = Begin();
  Put(other, "0-262143/*", first_);
  EXPECT_EQ(Put(other, "*/262144").status, 200);
  EXPECT_EQ(Read("r"), first_);
}

TEST_F(GcsSession, StoresAnEmptyObject) {
  EXPECT_EQ(Put(Begin("&name=e1"), "*/0").status, 200);
  EXPECT_EQ(Put(Begin("&name=e2"), "").status, 200);
  EXPECT_EQ(Json("GET", PathOf("e1"))["size"], "0");
  EXPECT_EQ(Json("GET", PathOf("e2"))["crc32c"], "AAAAAA==");
}

TEST_F(GcsSession, RequiresMultiplesOf256KiB) {
  const std::string session = Begin();
  EXPECT_EQ(Put(session, "0-999/*", bytes_.substr(0, 1000)).status, 400);
  EXPECT_EQ(Put(session, "0-262144/525288", bytes_.substr(0, kQuantum + 1)).status, 400);
  ExpectStored(Put(session, "*/*"), "");
}

TEST_F(GcsSession, IgnoresRepeatedBytes) {
  const std::string session = Begin();
  Put(session, "0-262143/*", first_);
  ExpectStored(Put(session, "0-262143/*", std::string(kQuantum, '!')), "bytes=0-262143");
  EXPECT_EQ(Put(session, "100-525287/525288", bytes_.substr(100)).status, 200);
  EXPECT_EQ(Read("r"), bytes_);
}

TEST_F(GcsSession, RejectsGap) {
  const std::string session = Begin();
  EXPECT_EQ(Put(session, "262144-524287/*", first_).status, 503);
  ExpectStored(Put(session, "*/*"), "");
}

TEST_F(GcsSession, RejectsInconsistentRanges) {
  for (const std::string range : {"0-262143/1000", "5-4/*", "0-1/x", "x", "0-262142/*", "-/*"}) {
    EXPECT_EQ(Put(Begin(), range, first_).status, 400) << range;
  }
  const std::string announced = Begin("&name=r", {{"X-Upload-Content-Length", "7"}});
  EXPECT_EQ(Put(announced, "0-3/4", "1234").status, 400);
  EXPECT_EQ(Put(announced, "0-6/7", "1234567").status, 200);
}

TEST_F(GcsSession, KeepsWholeQuantaOfInterruptedBody) {
  const std::string session = Begin();
  // Repeated, because on a reused connection the transport retries once.
  server_->faults().Add({.kind = gcs_server::FaultKind::kResetInBody,
                         .method = "PUT",
                         .times = 0,
                         .at_byte = kQuantum + 5000});
  EXPECT_FALSE(Try("PUT", session, bytes_, {{"Content-Range", "bytes 0-525287/525288"}}));
  server_->faults().Clear();
  ExpectStored(Put(session, "*/525288"), "bytes=0-262143");
  EXPECT_EQ(Put(session, "262144-525287/525288", bytes_.substr(kQuantum)).status, 200);
  EXPECT_EQ(Read("r"), bytes_);
}

TEST_F(GcsSession, ResumesWhileOldConnectionIsOpen) {
  const std::string session = Begin();
  server_->faults().Add(
      {.kind = gcs_server::FaultKind::kStallBody, .method = "PUT", .at_byte = kQuantum});
  const std::uint64_t before = server_->requests();
  std::jthread dead([&] {
    http::Request request;
    request.method = "PUT";
    request.url = session;
    request.headers = {{"Content-Range", "bytes 0-525287/525288"}};
    request.body = std::make_shared<http::BytesBody>(std::string(bytes_.size(), '!'));
    request.stall_timeout = std::chrono::milliseconds(300);
    EXPECT_FALSE(transport_->Send(request, {}));
  });
  while (server_->requests() == before) std::this_thread::yield();
  ExpectStored(Put(session, "*/*"), "");
  EXPECT_EQ(Put(session, "0-525287/525288", bytes_).status, 200);
  dead.join();
  EXPECT_EQ(Read("r"), bytes_);
}

TEST_F(GcsSession, FreesDiskSpace) {
  const TempTree folder;
  server_ = gcs_server::Server::Start(WithoutChangeLimit({.data_dir = folder.path()}));
  server_->CreateBucket("b");
  const auto files = [&folder] {
    const std::filesystem::recursive_directory_iterator all(folder.path());
    return std::count_if(begin(all), end(all),
                         [](const auto& one) { return one.is_regular_file(); });
  };
  EXPECT_EQ(Put(Begin(), "", bytes_).status, 200);
  for (int i = 0; i < 2; ++i) Store("y", bytes_);
  EXPECT_EQ(files(), 2) << "replaced content is removed";
  for (const std::string name : {"r", "y"}) EXPECT_EQ(Do("DELETE", PathOf(name)).status, 204);
  EXPECT_EQ(files(), 0);
  server_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(GcsSession, CanBeDeleted) {
  const std::string session = Begin();
  EXPECT_EQ(server_->open_sessions(), 1U);
  EXPECT_EQ(Do("DELETE", session).status, 499);
  EXPECT_EQ(server_->open_sessions(), 0U);
  EXPECT_EQ(Put(session, "*/*").status, 410);
  EXPECT_EQ(Do("DELETE", session).status, 410);
  EXPECT_EQ(Put(session + "x", "*/*").status, 404);
}

TEST_F(GcsSession, Expires) {
  for (const int status : {404, 410}) {
    const std::string session = Begin();
    server_->EndSessions(status);
    EXPECT_EQ(Put(session, "", "x").status, status);
  }
}

TEST_F(GcsSession, ChecksPreconditionsAtStartAndEnd) {
  const std::string session = Begin("&name=r&ifGenerationMatch=0");
  Store("r", "another's");
  const auto late = Put(session, "", "mine");
  EXPECT_EQ(late.status, 412);
  EXPECT_EQ(ReasonOf(late), "conditionNotMet");
  EXPECT_EQ(Read("r"), "another's");
  const auto early =
      Do("POST", "/upload/storage/v1/b/b/o?uploadType=resumable&name=r&ifGenerationMatch=0", "{}");
  EXPECT_EQ(early.status, 412);
}

TEST_F(GcsSession, ChecksChecksumsAtEnd) {
  const std::string declared = R"({"crc32c":"4waSgw=="})";
  EXPECT_EQ(Put(Begin("&name=r", {}, declared), "", "123456789").status, 200);
  EXPECT_EQ(Put(Begin("&name=r", {}, declared), "", "12345678X").status, 400);
  EXPECT_EQ(Put(Begin(), "", "123456789", {{"X-Goog-Hash", "crc32c=AAAAAA=="}}).status, 400);
  EXPECT_EQ(Put(Begin(), "", "123456789", {{"X-Goog-Hash", "md5=JfnnlDI7RTiF9RgfG2JNCw=="}}).status,
            200);
}

TEST_F(GcsSession, Reports308As200OnRequest) {
  const auto response = Put(Begin(), "0-262143/*", first_, {{"X-GUploader-No-308", "yes"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Get("X-HTTP-Status-Code-Override"), "308");
  EXPECT_EQ(response.headers.Get("Range"), "bytes=0-262143");
}

}  // namespace
}  // namespace kinetic::test
