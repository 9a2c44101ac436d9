// Opening a store in a bucket.

#include "gcs/bucket.h"
#include "store/open.h"
#include "support/bucket_server.h"
#include "support/fake_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::store {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

/// Adds a token to every request.
class BearerTransport final : public http::Transport {
 public:
  BearerTransport(std::shared_ptr<http::Transport> inner, std::string token)
      : inner_(std::move(inner)), token_(std::move(token)) {}

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override {
    http::Request authorized = request;
    if (!token_.empty()) authorized.headers.Set("Authorization", "Bearer " + token_);
    return inner_->Stream(authorized, sink, std::move(stop));
  }

 private:
  std::shared_ptr<http::Transport> inner_;
  std::string token_;
};

class OpenBucketTest : public testing::Test, public LogSink {
 protected:
  void Write(LogLevel /*level*/, std::string_view /*component*/, std::string_view text) override {
    warnings_ += text;
  }

  Result<std::unique_ptr<Store>> OpenAt(std::string_view location, bool lazy = false) {
    Access access{.fs = PosixFileSystem(), .clock = client_clock_};
    access.connect = [this](const std::stop_token&) -> Result<std::shared_ptr<http::Transport>> {
      return std::make_shared<BearerTransport>(bucket_.Connect(), token_);
    };
    access.log = this;
    access.gcs.endpoint = bucket_.Url();
    access.gcs.retry.max_attempts = 1;
    return lazy ? OpenLazy(location, access, {}) : Open(location, access, {});
  }

  std::string MessageAt(std::string_view location, ErrorCode code) {
    const auto store = OpenAt(location);
    if (store) return "opened";
    EXPECT_EQ(store.error().code, code) << store.error().message;
    return store.error().message;
  }

  std::string token_;
  std::string warnings_;
  test::FakeClock server_clock_;
  test::FakeClock client_clock_;
  test::BucketServer bucket_{server_clock_};
};

TEST_F(OpenBucketTest, LazyStoreIsCreatedWithItsFirstObject) {
  const auto store = OpenAt("gs://bucket/team", true);
  ASSERT_TRUE(store) << store.error().message;
  const auto format = (*store)->Stat(kFormatObject, {});
  ASSERT_TRUE(format) << format.error().message;
  EXPECT_FALSE(*format);
  ASSERT_TRUE(PutBytes(**store, "a", "content", Precondition::Absent(), {}));
  EXPECT_TRUE((*store)->Stat(kFormatObject, {})->has_value());
}

TEST_F(OpenBucketTest, CreatesAStoreInAnEmptyFolder) {
  const auto made = OpenAt("gs://bucket/team");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->Location(), "gs://bucket/team");
  const auto whole = OpenAt("gs://bucket");
  ASSERT_FALSE(whole);
  EXPECT_THAT(whole.error().message, HasSubstr("gs://bucket: it is neither a store nor empty"));
  const std::uint64_t before = bucket_.server().requests();
  EXPECT_TRUE(OpenAt("gs://bucket/team/"));
  EXPECT_EQ(bucket_.server().requests(), before + 1);
}

TEST_F(OpenBucketTest, AddsLifecycleRulesAndKeepsOthers) {
  const auto transport = bucket_.Connect();
  const gcs::Buckets buckets(*transport, client_clock_, {.endpoint = bucket_.Url()});
  const Value other = gcs::DeleteAfterAgeRule(7, {"logs/"});
  const auto before = buckets.Get("bucket", {});
  ASSERT_TRUE(before && *before);
  ASSERT_TRUE(buckets.SetLifecycle(**before, {other}, {}));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(OpenAt("gs://bucket/team"));
  const auto after = buckets.Get("bucket", {});
  ASSERT_TRUE(after && *after);
  EXPECT_THAT((*after)->lifecycle,
              testing::ElementsAre(
                  other, gcs::DeleteAfterCustomTimeRule(90, {"team/packs/", "team/trees/"}),
                  gcs::DeleteAfterAgeRule(1, {"team/.tmp/parts/"})));
}

TEST_F(OpenBucketTest, WarnsIfItMayNotChangeTheBucket) {
  bucket_.server().SetAccounts({{"secret", "ana@example.org", {"storage.buckets.update"}}});
  token_ = "secret";
  EXPECT_TRUE(OpenAt("gs://bucket/team"));
  EXPECT_THAT(warnings_, HasSubstr("only 'kinetic gc' removes old packs"));
  EXPECT_THAT(warnings_, HasSubstr("storage.buckets.update"));
}

TEST_F(OpenBucketTest, ReportsBucketErrors) {
  EXPECT_THAT(MessageAt("gs://missing-bucket", ErrorCode::kNotFound),
              HasSubstr("cannot open the store gs://missing-bucket"));
  EXPECT_THAT(MessageAt("gs://Bucket", ErrorCode::kInvalidArgument), HasSubstr("a-z, 0-9"));
  bucket_.server().SetAccounts({{"secret", "ana@example.org", {}}});
  EXPECT_THAT(MessageAt("gs://bucket", ErrorCode::kUnauthenticated), HasSubstr("401"));
}

TEST_F(OpenBucketTest, LazyStoresReportTheSameErrors) {
  const auto made = OpenAt("gs://bucket/team", true);
  ASSERT_TRUE(made) << made.error().message;
  const auto put = PutBytes(**made, "packs/1", "x", Precondition::Absent(), {});
  ASSERT_TRUE(put && *put);
  EXPECT_TRUE(*(*made)->Stat("format.json", {}));
  const auto absent = OpenAt("gs://missing-bucket", true);
  ASSERT_TRUE(absent);
  const auto found = (*absent)->Stat("a", {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(found.error().message, HasSubstr("cannot open the store gs://missing-bucket"));
  EXPECT_FALSE(OpenAt("gs://Bucket", true));
  EXPECT_FALSE(OpenAt("not/absolute", true));
}

TEST_F(OpenBucketTest, UsesTheServersClock) {
  client_clock_.Jump(hours(24 * 365));
  const auto store = OpenAt("gs://bucket/team");
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_LE(std::chrono::abs(*(*store)->Now({}) - server_clock_.Now()), test::kDateResolution);
  const auto put = PutBytes(**store, "packs/1", "x", Precondition::Absent(), {});
  ASSERT_TRUE(put && *put);
  EXPECT_LE(std::chrono::abs((*put)->lease - server_clock_.Now()), test::kDateResolution);
}

}  // namespace
}  // namespace kinetic::store
