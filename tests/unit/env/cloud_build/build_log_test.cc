#include "env/cloud_build/build_io.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>

namespace kinetic::env {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CloudBuildLogTest : public testing::Test {
 protected:
  void Write(const std::string& text) { ASSERT_TRUE(store::Overwrite(store_, "log", text, {})); }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  RecordingObserver listener_;
  CloudBuildLog log_{store_, "log", &listener_};
};

TEST_F(CloudBuildLogTest, ReadsOnlyAppendedBytes) {
  EXPECT_EQ(log_.Read({}), false) << "the log does not exist yet";
  Write("first\nsec");
  EXPECT_EQ(log_.Read({}), true);
  EXPECT_THAT(listener_.lines, ElementsAre("first"));
  EXPECT_EQ(log_.Read({}), false);
  Write("first\nsecond\n\n  \nthird \x1b[1m");
  EXPECT_EQ(log_.Read({}), true);
  EXPECT_THAT(listener_.lines, ElementsAre("first", "second"));
  EXPECT_THAT(log_.LastLines(), ElementsAre("first", "second", "third \\x1b[1m"));
}

TEST_F(CloudBuildLogTest, LastLinesContainNoCredentials) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "line " + std::to_string(i) + "\n";
  text += std::string(299, 'x') + "äää\n";
  Write(text + "from https://ana:s3cret@index.example/simple\n");
  ASSERT_TRUE(log_.Read({}));
  const auto last = log_.LastLines();
  ASSERT_EQ(last.size(), 15U);
  EXPECT_EQ(last.front(), "line 27");
  EXPECT_EQ(last[13], std::string(299, 'x') + "…");
  EXPECT_EQ(last.back().find("s3cret"), std::string::npos);
}

TEST_F(CloudBuildLogTest, RetriesFailedReads) {
  Write("first\n");
  store_.SetHook([](std::string_view, std::string_view) -> Status {
    return Fail(ErrorCode::kAborted, "it was replaced");
  });
  EXPECT_EQ(log_.Read({}), false);
  store_.SetHook({});
  EXPECT_EQ(log_.Read({}), true);
  EXPECT_THAT(listener_.lines, ElementsAre("first"));
  EXPECT_TRUE(listener_.warnings.empty());
}

TEST_F(CloudBuildLogTest, WarnsOnceWhenReadIsForbidden) {
  int asked = 0;
  store_.SetHook([&](std::string_view, std::string_view) -> Status {
    ++asked;
    return Fail(ErrorCode::kPermissionDenied, "ana may not");
  });
  EXPECT_EQ(log_.Read({}), false);
  EXPECT_EQ(log_.Read({}), false);
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(listener_.warnings, ElementsAre(HasSubstr("ana may not")));
}

TEST_F(CloudBuildLogTest, ReturnsCancelledOnStop) {
  store_.SetHook([](std::string_view, std::string_view) -> Status {
    return Fail(ErrorCode::kCancelled, "stopped");
  });
  const auto read = log_.Read({});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kinetic::env
