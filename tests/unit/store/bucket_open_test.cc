// Opening a store in a bucket, and what it costs.

#include "store/open.h"
#include "support/bucket_server.h"
#include "support/fake_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::store {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

constexpr std::chrono::seconds kDateResolution{1};

class BucketOpenTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Store>> OpenAt(std::string_view location) {
    Access access{.fs = PosixFileSystem(), .clock = here_};
    access.connect = [this](const std::stop_token&) -> Result<std::shared_ptr<http::Transport>> {
      return bucket_.Connect();
    };
    access.gcs.endpoint = bucket_.Url();
    access.gcs.retry.max_attempts = 1;
    return Open(location, access, {});
  }

  std::string MessageAt(std::string_view location, ErrorCode code) {
    const auto store = OpenAt(location);
    if (store) return "opened";
    EXPECT_EQ(store.error().code, code) << store.error().message;
    return store.error().message;
  }

  test::FakeClock there_;
  test::FakeClock here_;
  test::BucketServer bucket_{there_};
};

TEST_F(BucketOpenTest, MakesAStoreInAnEmptyFolderOfTheBucket) {
  const auto made = OpenAt("gs://bucket/team");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->Location(), "gs://bucket/team");
  const auto whole = OpenAt("gs://bucket");
  ASSERT_FALSE(whole);
  EXPECT_THAT(whole.error().message, HasSubstr("gs://bucket: it holds something else"));
  const std::uint64_t before = bucket_.server().requests();
  EXPECT_TRUE(OpenAt("gs://bucket/team/"));
  EXPECT_EQ(bucket_.server().requests(), before + 1);
}

TEST_F(BucketOpenTest, SaysWhatIsWrongWithTheBucket) {
  EXPECT_THAT(MessageAt("gs://nobodys-bucket", ErrorCode::kNotFound),
              HasSubstr("opening the store gs://nobodys-bucket"));
  EXPECT_THAT(MessageAt("gs://Bucket", ErrorCode::kInvalidArgument), HasSubstr("a-z, 0-9"));
  bucket_.server().SetAccounts({{"secret", "ana@example.org", {}}});
  EXPECT_THAT(MessageAt("gs://bucket", ErrorCode::kUnauthenticated), HasSubstr("401"));
}

TEST_F(BucketOpenTest, GoesByTheClockOfTheServer) {
  here_.Jump(hours(24 * 365));
  const auto store = OpenAt("gs://bucket/team");
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_LE(std::chrono::abs(*(*store)->Now({}) - there_.Now()), kDateResolution);
  const auto put = PutBytes(**store, "packs/1", "x", Precondition::Absent(), {});
  ASSERT_TRUE(put && *put);
  EXPECT_LE(std::chrono::abs((*put)->lease - there_.Now()), kDateResolution);
}

}  // namespace
}  // namespace kinetic::store
