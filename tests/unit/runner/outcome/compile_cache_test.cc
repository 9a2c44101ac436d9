#include "runner/outcome/compile_cache.h"

#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::runner {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CompileCacheTest : public ::testing::Test {
 protected:
  CompileCacheTest() { clock_.Jump(std::chrono::system_clock::now() - clock_.Now()); }

  CompileCache On(const std::string& pod, CompileCache::Limits limits = {}) {
    return CompileCache({store_, PosixFileSystem(), clock_}, {tree_ / pod, "compiled/key/"},
                        limits);
  }

  /// Stores a file of another pod's program.
  void Leave(const std::string& name, const std::string& content) {
    ASSERT_TRUE(
        store::PutBytes(store_, "compiled/key/" + name, content, store::Precondition::Absent(), {})
            .value());
  }

  std::vector<std::string> Stored() const {
    std::vector<std::string> names;
    for (const auto& [name, info] : store_.Objects()) names.push_back(name);
    return names;
  }
  std::vector<std::string> Files(const std::string& pod) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(tree_ / pod)) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(CompileCacheTest, FetchesWhatAnotherProgramCompiled) {
  CompileCache first = On("first");
  const auto nothing = first.Fetch({});
  ASSERT_TRUE(nothing) << nothing.error().message;
  EXPECT_FALSE(*nothing);
  tree_.Write("first/jit_f-1-cache", "program");
  tree_.Write("first/jit_f-1-atime", "now");
  tree_.Write("first/.lockfile", "");
  ASSERT_TRUE(first.Finish(false, {}));
  EXPECT_THAT(Stored(), ElementsAre("compiled/key/jit_f-1-cache"));

  CompileCache second = On("second");
  const auto fetched = second.Fetch({});
  ASSERT_TRUE(fetched);
  EXPECT_EQ(**fetched, "1 compiled program, 7 B");
  EXPECT_EQ(tree_.Read("second/jit_f-1-cache"), "program");
}

TEST_F(CompileCacheTest, DoesNotStoreChangingFile) {
  CompileCache cache = On("pod");
  ASSERT_TRUE(cache.Fetch({}));
  tree_.Write("pod/a-cache", "hal");
  ASSERT_TRUE(cache.Poll({}));
  ASSERT_TRUE(cache.Finish(true, {}));
  EXPECT_THAT(Stored(), IsEmpty());
  clock_.Advance(kCompiledQuiet + seconds(1));
  ASSERT_TRUE(cache.Poll({}));
  EXPECT_THAT(Stored(), ElementsAre("compiled/key/a-cache"));
}

TEST_F(CompileCacheTest, DoesNotResendStoredFiles) {
  Leave("a-cache", "program");
  int puts = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation == "put") ++puts;
    return {};
  });
  CompileCache cache = On("pod");
  ASSERT_TRUE(cache.Fetch({}));
  ASSERT_TRUE(cache.Finish(false, {}));
  CompileCache restarted = On("pod");
  ASSERT_TRUE(restarted.Resume({}));
  ASSERT_TRUE(restarted.Finish(false, {}));
  EXPECT_EQ(puts, 0);
}

TEST_F(CompileCacheTest, FetchesNewestUpToTheLimit) {
  Leave("old-cache", "12345");
  clock_.Advance(hours(1));
  Leave("new-cache", "12345");
  CompileCache cache = On("pod", {.all_bytes = 9, .file_bytes = 9});
  EXPECT_EQ(**cache.Fetch({}), "1 compiled program, 5 B");
  EXPECT_THAT(Files("pod"), ElementsAre("new-cache"));
  tree_.Write("pod/more-cache", "1");
  ASSERT_TRUE(cache.Finish(false, {}));
  EXPECT_THAT(Stored(), ElementsAre("compiled/key/new-cache", "compiled/key/old-cache"));
}

TEST_F(CompileCacheTest, DoesNotStoreLargeFile) {
  CompileCache cache = On("pod", {.all_bytes = 100, .file_bytes = 3});
  ASSERT_TRUE(cache.Fetch({}));
  tree_.Write("pod/large-cache", "1234");
  tree_.Write("pod/small-cache", "123");
  ASSERT_TRUE(cache.Finish(false, {}));
  EXPECT_THAT(Stored(), ElementsAre("compiled/key/small-cache"));
}

TEST_F(CompileCacheTest, RenewsLeasesOfUsedFiles) {
  Leave("a-cache", "program");
  const auto lease = [&] { return store_.Objects().at("compiled/key/a-cache").lease; };
  const WallTime left = lease();
  ASSERT_TRUE(On("pod").Fetch({}));
  EXPECT_EQ(lease(), left);
  clock_.Advance(hours(24 * 7));
  ASSERT_TRUE(On("pod").Fetch({}));
  EXPECT_GT(lease(), left);
}

TEST_F(CompileCacheTest, RemovesIncompleteFile) {
  Leave("a-cache", "program");
  store_.SetHook([](std::string_view operation, std::string_view) -> Status {
    if (operation == "get") return Fail(ErrorCode::kUnavailable, "unavailable");
    return {};
  });
  CompileCache cache = On("pod");
  const auto fetched = cache.Fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().message, HasSubstr("unavailable"));
  EXPECT_THAT(Files("pod"), IsEmpty());
}

TEST_F(CompileCacheTest, RetriesFailedUpload) {
  CompileCache cache = On("pod");
  ASSERT_TRUE(cache.Fetch({}));
  tree_.Write("pod/a-cache", "program");
  store_.SetHook([](std::string_view operation, std::string_view) -> Status {
    if (operation == "put") return Fail(ErrorCode::kUnavailable, "unavailable");
    return {};
  });
  EXPECT_FALSE(cache.Finish(false, {}));
  store_.SetHook({});
  ASSERT_TRUE(cache.Finish(false, {}));
  EXPECT_THAT(Stored(), ElementsAre("compiled/key/a-cache"));
}

TEST_F(CompileCacheTest, DoesNothingWithoutKey) {
  store_.SetHook([](std::string_view, std::string_view) -> Status {
    return Fail(ErrorCode::kInternal, "accessed");
  });
  CompileCache cache({store_, PosixFileSystem(), clock_}, {tree_ / "pod", ""}, {});
  EXPECT_TRUE(cache.Fetch({}));
  EXPECT_TRUE(cache.Resume({}));
  EXPECT_TRUE(cache.Poll({}));
  EXPECT_TRUE(cache.Finish(false, {}));
}

}  // namespace
}  // namespace kinetic::runner
