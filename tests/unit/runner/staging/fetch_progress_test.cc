#include "runner/staging/fetch_progress.h"

#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

class FetchProgressTest : public ::testing::Test {
 protected:
  record::AttemptStatus Written() {
    const auto status = record::StatusFromJson(tree_.Read("status.json"));
    EXPECT_TRUE(status);
    return status ? *status : record::AttemptStatus();
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  StatusFile file_{PosixFileSystem(), clock_, tree_ / "status.json", {"k-1", "7"}};
};

TEST_F(FetchProgressTest, WritesProgressTwiceASecondAtMost) {
  FetchProgress progress(file_, clock_);
  FetchProgress::Transfer data = progress.Begin("fetching /data");
  data.Expect(1000);
  EXPECT_EQ(Written().reason, "fetching /data");
  EXPECT_EQ(Written().fetched, record::Progress());
  data.Add(100);
  EXPECT_EQ(Written().fetched, (record::Progress{100, 1000}));
  data.Add(200);
  EXPECT_EQ(Written().fetched, (record::Progress{100, 1000}));
  clock_.Advance(milliseconds(500));
  data.Add(200);
  EXPECT_EQ(Written().fetched, (record::Progress{500, 1000}));
  clock_.Advance(milliseconds(500));
  data.Add(500);
  EXPECT_EQ(Written().fetched, (record::Progress{1000, 1000}));
}

TEST_F(FetchProgressTest, NextTransferStartsAtZero) {
  FetchProgress progress(file_, clock_);
  {
    FetchProgress::Transfer one = progress.Begin("fetching /one");
    one.Expect(1000);
    one.Add(1000);
  }
  FetchProgress::Transfer two = progress.Begin("fetching /two");
  EXPECT_EQ(Written().reason, "fetching /two");
  EXPECT_EQ(Written().fetched, record::Progress());
  two.Add(7);
  EXPECT_EQ(Written().fetched, (record::Progress{7, 0}));
}

TEST_F(FetchProgressTest, WritesFirstOfConcurrentTransfers) {
  FetchProgress progress(file_, clock_);
  std::optional<FetchProgress::Transfer> one = progress.Begin("fetching /one");
  std::optional<FetchProgress::Transfer> two = progress.Begin("fetching /two");
  two->Expect(50);
  two->Add(20);
  EXPECT_EQ(Written().reason, "fetching /one");
  EXPECT_EQ(Written().fetched, record::Progress());
  one->Add(10);
  EXPECT_EQ(Written().fetched, (record::Progress{10, 0}));
  one.reset();
  EXPECT_EQ(Written().reason, "fetching /two");
  EXPECT_EQ(Written().fetched, (record::Progress{20, 50}));
  FetchProgress::Transfer three = progress.Begin("fetching /three");
  two.reset();
  EXPECT_EQ(Written().reason, "fetching /three");
}

TEST_F(FetchProgressTest, ClearsProgressAtTheEnd) {
  FetchProgress progress(file_, clock_);
  progress.Begin("fetching /one").Add(10);
  EXPECT_EQ(Written().fetched, record::Progress());
}

}  // namespace
}  // namespace kinetic::runner
