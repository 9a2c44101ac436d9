#include "env/packages/upload_estimator.h"

#include "support/fake_clock.h"

#include <gtest/gtest.h>

#include <optional>

namespace kinetic::env {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kBuffered = 24 * kMiB;

class UploadEstimatorTest : public ::testing::Test {
 protected:
  test::FakeClock clock_;
  UploadEstimator estimator_{clock_, seconds(90)};
};

TEST_F(UploadEstimatorTest, HasNoEstimateTooEarly) {
  UploadEstimator::Upload upload(estimator_, 1000 * kMiB);
  upload.Add(kBuffered);  // buffered, perhaps not sent
  clock_.Advance(seconds(60));
  EXPECT_EQ(estimator_.RemainingTime(), std::nullopt);
  EXPECT_FALSE(estimator_.ExceedsLimit());
  UploadEstimator quick(clock_, seconds(90));
  UploadEstimator::Upload started(quick, 1000 * kMiB);
  clock_.Advance(seconds(9));
  started.Add(kBuffered + kMiB);
  EXPECT_EQ(quick.RemainingTime(), std::nullopt);
}

TEST_F(UploadEstimatorTest, ExtrapolatesFromSentBytes) {
  UploadEstimator::Upload upload(estimator_, 100 * kMiB);
  clock_.Advance(seconds(10));
  upload.Add(kBuffered + 10 * kMiB);
  EXPECT_EQ(estimator_.RemainingTime(), seconds(90));
  EXPECT_FALSE(estimator_.ExceedsLimit());
  UploadEstimator::Upload another(estimator_, 1 * kMiB);
  EXPECT_EQ(estimator_.RemainingTime(), seconds(91));
  EXPECT_TRUE(estimator_.ExceedsLimit());
  estimator_.DisableLimit();
  EXPECT_FALSE(estimator_.ExceedsLimit());
}

TEST_F(UploadEstimatorTest, CountsFinishedUploads) {
  {
    UploadEstimator::Upload upload(estimator_, 30 * kMiB);
    upload.Add(30 * kMiB);
    clock_.Advance(seconds(10));
    upload.Finish();
  }
  clock_.Advance(seconds(1000));  // without an upload
  UploadEstimator::Upload upload(estimator_, 30 * kMiB);
  EXPECT_EQ(estimator_.RemainingTime(), seconds(10));
}

TEST_F(UploadEstimatorTest, CountsAbandonedUploadsAsRemaining) {
  {
    UploadEstimator::Upload upload(estimator_, kBuffered + 1000 * kMiB);
    clock_.Advance(seconds(10));
    upload.Add(kBuffered + 100 * kMiB);
  }
  EXPECT_TRUE(estimator_.ExceedsLimit());
}

}  // namespace
}  // namespace kinetic::env
