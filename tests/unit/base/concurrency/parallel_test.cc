#include "base/concurrency/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace kinetic {
namespace {

TEST(Parallel, CallsWorkOncePerIndex) {
  std::vector<std::atomic<int>> done(1000);
  ASSERT_TRUE(ParallelFor(4, done.size(), {}, [&](std::size_t index, std::stop_token) -> Status {
    ++done[index];
    return {};
  }));
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(Parallel, FirstErrorStopsTheOthers) {
  std::atomic<std::size_t> begun = 0;
  const auto result =
      ParallelFor(2, 100'000, {}, [&](std::size_t index, std::stop_token) -> Status {
        ++begun;
        if (index == 3) return Fail(ErrorCode::kDataLoss, "three");
        return {};
      });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "three");
  EXPECT_LT(begun, 100'000U);
}

TEST(Parallel, StopReturnsCancelled) {
  std::stop_source source;
  source.request_stop();
  const auto result = ParallelFor(2, 10, source.get_token(),
                                  [](std::size_t, std::stop_token) -> Status { return {}; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

TEST(ProcessorCount, IsAtLeastOne) { EXPECT_GE(ProcessorCount(), 1U); }

}  // namespace
}  // namespace kinetic
