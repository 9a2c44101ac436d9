#include "pod/collect_request.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

namespace kinetic::pod {
namespace {

class StopCauseTest : public ::testing::Test {
 protected:
  void Put(std::string_view json) {
    ASSERT_TRUE(store::Overwrite(store_, "jobs/j/cancel", json, {}));
  }
  std::optional<StopCause> Read() {
    auto read = ReadStopCause(store_, "j", {});
    EXPECT_TRUE(read);
    return read ? *std::move(read) : std::nullopt;
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(StopCauseTest, ReturnsNulloptWithoutAnObject) { EXPECT_FALSE(Read()); }

TEST_F(StopCauseTest, RoundTrips) {
  EXPECT_EQ(CancelName("j"), "jobs/j/cancel");
  for (int i = 0; i <= static_cast<int>(Cause::kLost); ++i) {
    const StopCause cause{.cause = static_cast<Cause>(i), .reason = "no pool has it"};
    Put(ToJson(cause));
    const auto read = Read();
    ASSERT_TRUE(read);
    EXPECT_EQ(Name(read->cause), Name(cause.cause));
    EXPECT_EQ(read->reason, cause.reason);
  }
}

TEST_F(StopCauseTest, TreatsInvalidObjectsAsCancellation) {
  Put("nothing that is JSON");
  const auto read = Read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cause, Cause::kCancelled);
}

TEST_F(StopCauseTest, TreatsUnknownCausesAsCancellation) {
  Put(R"({"version":1,"cause":"stolen","reason":"by a fox"})");
  const auto read = Read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cause, Cause::kCancelled);
  EXPECT_EQ(read->reason, "by a fox");
}

}  // namespace
}  // namespace kinetic::pod
