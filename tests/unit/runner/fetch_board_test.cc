#include "runner/fetch_board.h"

#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

class FetchBoardTest : public ::testing::Test {
 protected:
  record::AttemptStatus Shown() {
    const auto status = record::StatusFromJson(tree_.Read("status.json"));
    EXPECT_TRUE(status);
    return status ? *status : record::AttemptStatus();
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  StatusBoard board_{PosixFileSystem(), clock_, tree_ / "status.json", "k-1"};
};

TEST_F(FetchBoardTest, ShowsHowMuchOfWhatHasComeTwiceASecondAtMost) {
  FetchBoard fetches(board_, clock_);
  FetchBoard::Fetch data = fetches.Begin("fetching /data");
  data.Expect(1000);
  EXPECT_EQ(Shown().reason, "fetching /data");
  EXPECT_EQ(Shown().fetched, record::Progress());
  data.Add(100);
  EXPECT_EQ(Shown().fetched, (record::Progress{100, 1000}));
  data.Add(200);
  EXPECT_EQ(Shown().fetched, (record::Progress{100, 1000}));
  clock_.Advance(milliseconds(500));
  data.Add(200);
  EXPECT_EQ(Shown().fetched, (record::Progress{500, 1000}));
  clock_.Advance(milliseconds(500));
  data.Add(500);
  EXPECT_EQ(Shown().fetched, (record::Progress{1000, 1000}));
}

TEST_F(FetchBoardTest, WhatIsFetchedNextBeginsAtNothing) {
  FetchBoard fetches(board_, clock_);
  {
    FetchBoard::Fetch one = fetches.Begin("fetching /one");
    one.Expect(1000);
    one.Add(1000);
  }
  FetchBoard::Fetch two = fetches.Begin("fetching /two");
  EXPECT_EQ(Shown().reason, "fetching /two");
  EXPECT_EQ(Shown().fetched, record::Progress());
  two.Add(7);
  EXPECT_EQ(Shown().fetched, (record::Progress{7, 0}));
}

TEST_F(FetchBoardTest, OfTwoAtOnceTheFirstIsShownUntilItsEnd) {
  FetchBoard fetches(board_, clock_);
  std::optional<FetchBoard::Fetch> one = fetches.Begin("fetching /one");
  std::optional<FetchBoard::Fetch> two = fetches.Begin("fetching /two");
  two->Expect(50);
  two->Add(20);
  EXPECT_EQ(Shown().reason, "fetching /one");
  EXPECT_EQ(Shown().fetched, record::Progress());
  one->Add(10);
  EXPECT_EQ(Shown().fetched, (record::Progress{10, 0}));
  one.reset();
  EXPECT_EQ(Shown().reason, "fetching /two");
  EXPECT_EQ(Shown().fetched, (record::Progress{20, 50}));
  FetchBoard::Fetch three = fetches.Begin("fetching /three");
  two.reset();
  EXPECT_EQ(Shown().reason, "fetching /three");
}

TEST_F(FetchBoardTest, NothingIsShownAtTheEnd) {
  FetchBoard fetches(board_, clock_);
  fetches.Begin("fetching /one").Add(10);
  EXPECT_EQ(Shown().fetched, record::Progress());
}

}  // namespace
}  // namespace kinetic::runner
