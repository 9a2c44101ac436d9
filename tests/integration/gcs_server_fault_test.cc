#include "integration/gcs_server_harness.h"

#include <algorithm>

namespace kinetic::test {
namespace {

using gcs_server::Fault;
using gcs_server::FaultKind;
using std::chrono::milliseconds;

class GcsFault : public GcsServerTest {
 protected:
  void Break(Fault fault) { server_->faults().Add(std::move(fault)); }

  std::string Upload(const std::string& name) {
    return "/upload/storage/v1/b/b/o?uploadType=media&name=" + name;
  }
  bool Exists(const std::string& name) { return Do("GET", PathOf(name)).status == 200; }
};

TEST_F(GcsFault, AnswersWithoutActing) {
  Break({.path = "*name=x", .status = 429, .retry_after = 7});
  const auto slow = Do("POST", Upload("x"), "bytes");
  EXPECT_EQ(slow.status, 429);
  EXPECT_EQ(ReasonOf(slow), "rateLimitExceeded");
  EXPECT_EQ(slow.headers.Get("Retry-After"), "7");
  EXPECT_FALSE(Exists("x"));
  EXPECT_EQ(Do("POST", Upload("x"), "bytes").status, 200) << "once only";
}

TEST_F(GcsFault, AnswersDuringBody) {
  Break({.method = "POST", .status = 401, .at_byte = 100'000});
  const auto response = TryOnNewConnection("POST", Upload("x"), Pattern(50'000'000));
  EXPECT_TRUE(!response || response->status == 401);
  const auto log = server_->log().All();
  EXPECT_EQ(log.back().status, 401);
  EXPECT_EQ(log.back().body_bytes, 100'000U);
  EXPECT_FALSE(Exists("x"));
}

TEST_F(GcsFault, LosesReplyAfterActing) {
  Break({.kind = FaultKind::kLoseReply, .method = "POST"});
  EXPECT_FALSE(TryOnNewConnection("POST", Upload("x"), "bytes"));
  EXPECT_EQ(Read("x"), "bytes");
  EXPECT_EQ(Do("POST", Upload("x") + "&ifGenerationMatch=0", "bytes").status, 412);
}

TEST_F(GcsFault, ResetsBeforeDuringAndAfterBody) {
  for (const auto kind :
       {FaultKind::kResetBeforeBody, FaultKind::kResetInBody, FaultKind::kResetAfterBody}) {
    Break({.kind = kind, .method = "POST", .at_byte = 1000});
    const auto response = TryOnNewConnection("POST", Upload("x"), Pattern(100'000));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
    const auto seen = server_->log().All().back();
    EXPECT_EQ(seen.body_bytes, kind == FaultKind::kResetBeforeBody ? 0U
                               : kind == FaultKind::kResetInBody   ? 1000U
                                                                   : 100'000U);
    EXPECT_EQ(seen.fault, gcs_server::Name(kind));
    EXPECT_EQ(seen.status, 0);
    EXPECT_FALSE(Exists("x"));
  }
}

TEST_F(GcsFault, DamagesDownloads) {
  const std::string bytes = Pattern(2'000'000);
  Store("x", bytes);
  const std::string path = PathOf("x") + "?alt=media";
  for (const auto kind : {FaultKind::kTruncateReply, FaultKind::kResetReply}) {
    Break({.kind = kind, .path = "*alt=media", .at_byte = 1'234'567});
    const auto response = TryOnNewConnection("GET", path);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  }
  Break({.kind = FaultKind::kFlipReply, .path = "*alt=media", .at_byte = 1'234'567});
  std::string spoiled = Do("GET", path).body;
  EXPECT_NE(spoiled, bytes);
  spoiled[1'234'567] = static_cast<char>(spoiled[1'234'567] ^ 0x10);
  EXPECT_EQ(spoiled, bytes) << "one bit and no more";
  EXPECT_EQ(Do("GET", path).body, bytes);
}

TEST_F(GcsFault, FlipsBitOfUpload) {
  Break({.kind = FaultKind::kFlipBody, .method = "POST", .at_byte = 4});
  const auto refused = Do("POST", Upload("x"), "123456789", {{"X-Goog-Hash", "crc32c=4waSgw=="}});
  EXPECT_EQ(refused.status, 400) << "the sum says so";
  EXPECT_FALSE(Exists("x"));
}

TEST_F(GcsFault, StallsUntilClientDisconnects) {
  Store("x", Pattern(100'000));
  Break({.kind = FaultKind::kStallReply, .path = "*alt=media", .at_byte = 1000});
  http::Request request;
  request.url = server_->Url() + PathOf("x") + "?alt=media";
  request.stall_timeout = milliseconds(50);
  EXPECT_FALSE(transport_->Send(request, {}));
  Break({.kind = FaultKind::kStallBody, .method = "POST", .at_byte = 3, .stall = milliseconds(20)});
  EXPECT_EQ(Do("POST", Upload("y"), "123456789").status, 200) << "only slow";
}

TEST_F(GcsFault, AppliesToRequestNumber) {
  const std::uint64_t now = server_->requests();
  Break({.index = now + 1});
  EXPECT_EQ(Do("GET", "/storage/v1/b/b").status, 200);
  EXPECT_EQ(Do("GET", "/storage/v1/b/b").status, 503);
  EXPECT_EQ(Do("GET", "/storage/v1/b/b").status, 200);
  EXPECT_EQ(server_->requests(), now + 3);
}

TEST_F(GcsFault, SameSeedSelectsSameRequests) {
  const auto statuses = [](std::uint64_t seed) {
    gcs_server::Faults faults;
    faults.Seed(seed);
    faults.Add({.times = 0, .share = 0.3});
    const gcs_server::Request request;
    std::string struck;
    for (std::uint64_t i = 0; i < 1000; ++i) struck += faults.Next(request, i) ? '1' : '0';
    return struck;
  };
  EXPECT_EQ(statuses(1), statuses(1));
  EXPECT_NE(statuses(1), statuses(2));
  const std::string struck = statuses(3);
  EXPECT_NEAR(static_cast<double>(std::count(struck.begin(), struck.end(), '1')), 300, 60);
}

TEST_F(GcsFault, CanBeSetOverHttp) {
  const std::string faults =
      R"({"seed":7,"faults":[{"do":"answer","status":503,"method":"GET","skip":1,"times":1}]})";
  EXPECT_EQ(Do("POST", "/_control/faults", faults).status, 204);
  EXPECT_EQ(Do("GET", "/storage/v1/b/b").status, 200);
  EXPECT_EQ(Do("GET", "/storage/v1/b/b").status, 503);
  EXPECT_EQ(Do("GET", "/storage/v1/b/b").status, 200);
  const auto log = Json("GET", "/_control/requests");
  EXPECT_EQ(log["count"], 3);
  EXPECT_EQ(log["requests"][1]["fault"], "answer");
  for (const std::string bad :
       {"[", "{}", R"({"faults":[{"do":"nothing"}]})", R"({"faults":[{"do":"answer","x":1}]})"}) {
    EXPECT_EQ(Do("POST", "/_control/faults", bad).status, 400) << bad;
  }
}

TEST_F(GcsFault, LogHasNoSecrets) {
  Do("GET", "/storage/v1/b/b", "", {{"Authorization", "Bearer s3cret"}, {"X-Mine", "1"}});
  const auto seen = server_->log().All().back();
  EXPECT_TRUE(seen.authorized);
  EXPECT_FALSE(seen.headers.Get("Authorization"));
  EXPECT_EQ(seen.headers.Get("X-Mine"), "1");
}

}  // namespace
}  // namespace kinetic::test
