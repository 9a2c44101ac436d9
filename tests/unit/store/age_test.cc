#include "store/age.h"

#include "store/gcs_store.h"
#include "store/source.h"
#include "support/bucket_server.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::store {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

/// A bucket whose responses have a wrong Date, and a client with a wrong clock.
class WrongDates : public testing::TestWithParam<int> {
 protected:
  WrongDates() { bucket_.server().dates().Set(GetParam() * 24, GetParam() * 24); }

  GcsStore Connect() {
    return {bucket_.Connect(), client_clock_, BucketLocation{"bucket", "a/"},
            gcs::ClientOptions{.endpoint = bucket_.Url()}};
  }

  test::FakeClock server_clock_;
  hours skew_{GetParam() * 12};
  test::SkewedClock client_clock_{server_clock_, [this] { return skew_; }};
  test::BucketServer bucket_{server_clock_};
};

TEST_P(WrongDates, LeasesAreRight) {
  GcsStore writer = Connect();
  const auto before = writer.Stat("packs/1", {});  // the first Date
  const auto put = PutBytes(writer, "packs/1", "x", Precondition::Absent(), {});
  ASSERT_TRUE(put && *put);
  EXPECT_LE(std::chrono::abs((*put)->lease - server_clock_.Now()), minutes(1));
  server_clock_.Advance(hours(30));
  GcsStore other = Connect();
  const auto seen = other.Stat("packs/1", {});
  EXPECT_EQ((*seen)->lease, (*put)->lease);
  const auto touched = other.Touch("packs/1", {}, {});
  ASSERT_TRUE(touched && *touched);
  EXPECT_LE(std::chrono::abs((*touched)->lease - server_clock_.Now()), minutes(1));
}

TEST_P(WrongDates, ExactTimeIsThatOfAWrittenObject) {
  GcsStore store = Connect();
  EXPECT_EQ(*store.ExactNow({}), server_clock_.Now());
  EXPECT_TRUE(ListAll(store, "", {})->empty());
  server_clock_.Advance(hours(1));
  const auto requests = bucket_.server().requests();
  EXPECT_EQ(*store.ExactNow({}), server_clock_.Now());
  EXPECT_EQ(bucket_.server().requests(), requests) << "it is continued";
  skew_ += hours(24);
  EXPECT_EQ(*store.ExactNow({}), server_clock_.Now());
  const auto agreed = AgreedNow(store, client_clock_, {});
  ASSERT_FALSE(agreed);
  EXPECT_EQ(agreed.error().code, ErrorCode::kFailedPrecondition);
}

TEST_P(WrongDates, AreReported) {
  GcsStore store = Connect();
  const auto agreed = AgreedNow(store, server_clock_, {});
  ASSERT_FALSE(agreed);
  EXPECT_THAT(agreed.error().message, HasSubstr("the 'Date' of a response is"));
}

INSTANTIATE_TEST_SUITE_P(Days, WrongDates, testing::Values(-60, -1, 1, 400), [](const auto& one) {
  return (one.param < 0 ? "behind" : "ahead") + std::to_string(std::abs(one.param));
});

TEST(Age, OfTheFutureIsNone) {
  const WallTime now = SystemClock().Now();
  EXPECT_TRUE(IsOlder(now - hours(2), now, hours(1)));
  EXPECT_FALSE(IsOlder(now + hours(9999), now, hours(1)));
  EXPECT_TRUE(IsFresh(now - minutes(59), now, hours(1)));
  EXPECT_FALSE(IsFresh(now - hours(1), now, hours(1)));
  EXPECT_TRUE(IsFresh(now + minutes(9), now, hours(1)));
  EXPECT_FALSE(IsFresh(now + minutes(11), now, hours(1)));
}

}  // namespace
}  // namespace kinetic::store
