// Fails every file system change in turn, and checks that visible objects stay whole.

#include "store/folder_store.h"
#include "store/open.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

namespace kinetic::store {
namespace {

using testing::AnyOf;
using testing::Not;

const std::string kOld(5000, 'o');
const std::string kNew(20'000, 'n');

class FaultTest : public testing::TestWithParam<int> {
 protected:
  using Operation = std::function<Status(Store&)>;

  /// Runs `operation` on a new store once for each change that it makes to the file system, and
  /// fails that change. Returns the number of changes.
  std::uint64_t FailEach(bool with_old, const Operation& operation) {
    for (std::uint64_t failing = 0;; ++failing) {
      const test::TempTree tree;
      test::FakeClock clock;
      FolderStore healthy(tree.path(), PosixFileSystem(), clock);
      if (with_old) {
        EXPECT_TRUE(PutBytes(healthy, "a/b", kOld, Precondition::Absent(), {}, {{"k", "v"}}));
      }
      test::FaultyFileSystem fs(
          [&](std::uint64_t index, std::string_view, const Path&) -> std::optional<int> {
            return index == failing ? std::optional(GetParam()) : std::nullopt;
          });
      FolderStore store(tree.path(), fs, clock);
      const auto done = operation(store);
      if (fs.count() <= failing) {
        EXPECT_TRUE(done) << done.error().message;
        return failing;
      }
      Check(healthy, done, failing);
      EXPECT_TRUE(operation(healthy)) << "after a failure of change " << failing;
    }
  }

  static void Check(Store& store, const Status& done, std::uint64_t failing) {
    if (!done) {
      EXPECT_THAT(done.error().code, AnyOf(ErrorCode::kResourceExhausted, ErrorCode::kUnavailable,
                                           ErrorCode::kPermissionDenied))
          << done.error().message;
      EXPECT_THAT(done.error().message, Not(testing::IsEmpty()));
    }
    const auto bytes = GetBytes(store, "a/b", {});
    ASSERT_TRUE(bytes) << "change " << failing << ": " << bytes.error().message;
    EXPECT_TRUE(!*bytes || **bytes == kOld || **bytes == kNew) << "change " << failing;
    std::vector<std::string> names;
    EXPECT_TRUE(store.List("", "",
                           [&](const ObjectInfo& info) -> Result<bool> {
                             names.push_back(info.name);
                             return true;
                           },
                           {}));
    EXPECT_EQ(names.size(), *bytes ? 1U : 0U);
  }
};

TEST_P(FaultTest, CreateIsAtomic) {
  const auto changes = FailEach(false, [](Store& store) -> Status {
    const auto put = PutBytes(store, "a/b", kNew, Precondition::Absent(), {}, {{"k", "v"}});
    if (!put) return Failure(put.error());
    return {};
  });
  EXPECT_GE(changes, 8U);  // folders, file, content, trailer, time, flush, link, unlink, flush
}

TEST_P(FaultTest, ReplaceIsAtomic) {
  const auto changes =
      FailEach(true, [](Store& store) { return Overwrite(store, "a/b", kNew, {}); });
  EXPECT_GE(changes, 5U);
}

TEST_P(FaultTest, TouchIsAtomic) {
  FailEach(true, [](Store& store) -> Status {
    const auto touched = store.Touch("a/b", {}, {});
    if (!touched) return Failure(touched.error());
    EXPECT_TRUE(*touched);
    return {};
  });
}

TEST_P(FaultTest, RemoveIsAtomic) {
  FailEach(true, [](Store& store) -> Status {
    const auto seen = store.Stat("a/b", {});
    if (!seen) return Failure(seen.error());
    if (!*seen) return {};
    const auto removed = store.RemoveIfUnchanged(**seen, {});
    if (!removed) return Failure(removed.error());
    return {};
  });
}

TEST_P(FaultTest, OpenCanBeRetriedAfterAFailure) {
  for (std::uint64_t failing = 0;; ++failing) {
    const test::TempTree tree;
    test::FakeClock clock;
    test::FaultyFileSystem fs(
        [&](std::uint64_t index, std::string_view, const Path&) -> std::optional<int> {
          return index == failing ? std::optional(GetParam()) : std::nullopt;
        });
    const std::string location = (tree / "x/store").native();
    const auto store = Open(location, {fs, clock}, {});
    if (fs.count() <= failing) break;
    const auto again = Open(location, {PosixFileSystem(), clock}, {});
    EXPECT_TRUE(again) << "change " << failing << ": " << again.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Errors, FaultTest, testing::Values(ENOSPC, EIO),
                         [](const auto& error) { return std::to_string(error.param); });

TEST(FlushTest, MakesObjectsDurableThatWerePutWithout) {
  const test::TempTree tree;
  int flushes = 0;
  test::FaultyFileSystem fs([&](std::uint64_t, std::string_view operation, const Path&) {
    flushes += operation == "flushing" ? 1 : 0;
    return std::optional<int>();
  });
  FolderStore store(tree.path(), fs);
  ASSERT_TRUE(PutBytes(store, "jobs/a/record", "x", Precondition::Absent(), {}, {}, false));
  EXPECT_EQ(flushes, 0);
  ASSERT_TRUE(store.Flush({"jobs/a/record", "jobs/b/missing"}));
  EXPECT_EQ(flushes, 4) << "the file, and the entries of three folders";
  flushes = 0;
  ASSERT_TRUE(PutBytes(store, "jobs/c/record", "x", Precondition::Absent(), {}));
  EXPECT_GE(flushes, 3);
}

}  // namespace
}  // namespace kinetic::store
