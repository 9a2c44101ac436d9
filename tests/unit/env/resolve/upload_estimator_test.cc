#include "env/resolve/upload_estimator.h"

#include "support/fake_clock.h"

#include <gtest/gtest.h>

#include <optional>

namespace kinetic::env {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kInHand = 24 * kMiB;

class UplinkTest : public ::testing::Test {
 protected:
  test::FakeClock clock_;
  Uplink uplink_{clock_, seconds(90)};
};

TEST_F(UplinkTest, SaysNothingTooEarly) {
  Uplink::Sending sending(uplink_, 1000 * kMiB);
  sending.Add(kInHand);  // which says nothing of the way
  clock_.Advance(seconds(60));
  EXPECT_EQ(uplink_.Left(), std::nullopt);
  EXPECT_FALSE(uplink_.IsTooSlow());
  Uplink quick(clock_, seconds(90));
  Uplink::Sending begun(quick, 1000 * kMiB);
  clock_.Advance(seconds(9));
  begun.Add(kInHand + kMiB);
  EXPECT_EQ(quick.Left(), std::nullopt);
}

TEST_F(UplinkTest, GoesByWhatWasSentSoFar) {
  Uplink::Sending sending(uplink_, 100 * kMiB);
  clock_.Advance(seconds(10));
  sending.Add(kInHand + 10 * kMiB);
  EXPECT_EQ(uplink_.Left(), seconds(90));
  EXPECT_FALSE(uplink_.IsTooSlow());
  Uplink::Sending another(uplink_, 1 * kMiB);
  EXPECT_EQ(uplink_.Left(), seconds(91));
  EXPECT_TRUE(uplink_.IsTooSlow());
  uplink_.BePatient();
  EXPECT_FALSE(uplink_.IsTooSlow());
}

TEST_F(UplinkTest, WhatHasEndedIsSent) {
  {
    Uplink::Sending sending(uplink_, 30 * kMiB);
    sending.Add(30 * kMiB);
    clock_.Advance(seconds(10));
    sending.Finish();
  }
  clock_.Advance(seconds(1000));  // in which nothing is sent
  Uplink::Sending sending(uplink_, 30 * kMiB);
  EXPECT_EQ(uplink_.Left(), seconds(10));
}

TEST_F(UplinkTest, WhatWasGivenUpIsStillToBeSent) {
  {
    Uplink::Sending sending(uplink_, kInHand + 1000 * kMiB);
    clock_.Advance(seconds(10));
    sending.Add(kInHand + 100 * kMiB);
  }
  EXPECT_TRUE(uplink_.IsTooSlow());
}

}  // namespace
}  // namespace kinetic::env
