#include "env/virtualenv/builder.h"

#include "base/files/file_lock.h"
#include "base/process/subprocess.h"
#include "env/install/log.h"
#include "env/python/interpreter.h"
#include "env/virtualenv/evict.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Warnings final : public Observer {
 public:
  void OnWarning(std::string_view message) override { all.emplace_back(message); }

  std::vector<std::string> all;
};

class VirtualenvTest : public ::testing::Test {
 protected:
  VirtualenvTest() {
    options_.tools.cache_dir = tree_ / "cache";
    options_.tools.search_path = "/usr/local/bin:/usr/bin:/bin";
    options_.tools.environment = {{"HOME", tree_.path().native()},
                                  {"PATH", options_.tools.search_path}};
    const auto python = FindPython("", options_.tools, {});
    EXPECT_TRUE(python) << python.error().message;
    if (python) lock_.python = python->Minor();
    lock_.platform = HostPlatform();
  }

  Result<ReadyEnvironment> Ensure() {
    return MakeVirtualenvBuilder(options_)->Ensure(lock_, nullptr, {});
  }

  std::vector<std::string> Cached() const {
    std::vector<std::string> names;
    const auto entries = PosixFileSystem().ReadDirectory(tree_ / "cache/environments");
    for (const auto& entry : *entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string Id() const { return lock_.EnvironmentId().Hex(); }

  /// Replaces Python and uv. Its `pip install --prefix FOLDER` creates the metadata of packages,
  /// and fails if its arguments match a pattern.
  void WriteUv(const std::string& failing) {
    tree_.Write("bin/python3.99", "#!/bin/sh\necho 3.99.0 cpython\n", 0755);
    tree_.Write("bin/uv",
                "#!/bin/sh\ncase \"$*\" in --version) echo uv 1.2.3; exit;; " + failing +
                    ") exit 1;; esac\ncat requirements.txt >>" + (tree_ / "requested").native() +
                    "\nwhile read -r name rest; do\n"
                    "  info=$4/lib/python3.99/site-packages/${name%==*}-1.dist-info\n"
                    "  /bin/mkdir $info; echo ${info##*/}/RECORD,, >$info/RECORD\n"
                    "done <requirements.txt\n",
                0755);
    options_.tools.search_path = (tree_ / "bin").native() + ":/usr/bin:/bin";
    lock_.python = "3.99";
  }

  test::TempTree tree_;
  VirtualenvOptions options_;
  Lock lock_;
};

TEST_F(VirtualenvTest, EmptyLockGivesEmptyEnvironment) {
  const auto ready = Ensure();
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_TRUE(ready->built);
  EXPECT_EQ(ready->id, Id());
  std::string output;
  Subprocess program;
  program.argv = {ready->python.native(), "-c",
                  "import sys; print(sys.prefix); print([p for p in sys.path if 'dist-packages' in "
                  "p or 'site-packages' in p])"};
  program.on_stdout = [&](std::string_view bytes) { output += bytes; };
  ASSERT_TRUE(::kinetic::Run(program, {})->Succeeded());
  EXPECT_EQ(output, ready->root.native() + "\n['" + ready->root.native() + "/lib/python" +
                        lock_.python + "/site-packages']\n");
  EXPECT_THAT(Cached(), ElementsAre(".locks", Id()));
  EXPECT_THAT(*PosixFileSystem().ReadDirectory(tree_ / "cache/logs"), IsEmpty());
}

TEST_F(VirtualenvTest, IsBuiltOnceAndFound) {
  EXPECT_FALSE(*MakeVirtualenvBuilder(options_)->Find(lock_, {}));
  ASSERT_TRUE(Ensure());
  const auto again = Ensure();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->built);
  EXPECT_TRUE(*MakeVirtualenvBuilder(options_)->Find(lock_, {}));
}

TEST_F(VirtualenvTest, IsBuiltOnceByConcurrentCallers) {
  std::vector<std::thread> threads;
  std::atomic<int> built = 0;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const auto ready = Ensure();
      ASSERT_TRUE(ready) << ready.error().message;
      built += ready->built ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(built, 1);
}

TEST_F(VirtualenvTest, RemovesIncompleteEnvironments) {
  tree_.Write("cache/environments/" + Id() + "/bin/python", "");
  tree_.Write("cache/environments/" + Id() + ".abc.tmp/bin/python", "");
  const std::string other(64, '1');
  tree_.Write("cache/environments/" + other + ".abc.tmp/x", "");
  const auto ready = Ensure();
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_TRUE(ready->built);
  EXPECT_THAT(Cached(), ElementsAre(".locks", other + ".abc.tmp", Id()));
  ASSERT_TRUE(SweepEnvironments(options_.tools, std::chrono::hours(1)));
  EXPECT_THAT(Cached(), ElementsAre(".locks", Id()));
}

TEST_F(VirtualenvTest, IsRebuiltWhenPythonIsRemoved) {
  const auto ready = Ensure();
  ASSERT_TRUE(ready);
  ASSERT_TRUE(PosixFileSystem().SetMode(ready->root / "bin", 0755));
  ASSERT_TRUE(RemoveTree(PosixFileSystem(), ready->python));
  ASSERT_TRUE(PosixFileSystem().MakeSymlink("/nowhere/python", ready->python));
  const auto again = Ensure();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->built);
}

TEST_F(VirtualenvTest, RebuildsChangedEnvironment) {
  const auto ready = Ensure();
  ASSERT_TRUE(ready);
  for (const Path& folder : {Path("bin"), Path("lib/python" + lock_.python + "/site-packages")}) {
    const Path added = ready->root / folder / "added.py";
    ASSERT_TRUE(PosixFileSystem().SetMode(added.parent_path(), 0755));
    tree_.Write(added.lexically_relative(tree_.path()).native(), "");
    EXPECT_FALSE(*MakeVirtualenvBuilder(options_)->Find(lock_, {}));
    Warnings warnings;
    const auto again = MakeVirtualenvBuilder(options_)->Ensure(lock_, &warnings, {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->built);
    EXPECT_FALSE(PosixFileSystem().Lstat(added));
    EXPECT_THAT(warnings.all, ElementsAre("environment " + Id().substr(0, 12) +
                                          " was changed; kinetic builds it again"));
    EXPECT_THAT(Cached(), ElementsAre(".locks", Id()));
  }
}

TEST_F(VirtualenvTest, IsReadOnly) {
  const auto ready = Ensure();
  ASSERT_TRUE(ready);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ready->root)) {
    if (entry.is_symlink()) continue;
    const auto status = PosixFileSystem().Lstat(entry.path());
    EXPECT_EQ(status->mode & 0222U, 0U) << entry.path();
  }
}

TEST_F(VirtualenvTest, FailureNamesLog) {
  tree_.Write("bin/python3.99", "#!/bin/sh\necho 3.99.0 cpython\n", 0755);
  tree_.Write("bin/uv",
              "#!/bin/sh\ncase \"$*\" in --version) echo uv 1.2.3;; "
              "*) echo no such wheel >&2; exit 1;; esac\n",
              0755);
  options_.tools.search_path = (tree_ / "bin").native();
  lock_.python = "3.99";
  lock_.packages = {{"six", "1", "", {}}};
  const auto ready = Ensure();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(ready.error().message, HasSubstr("no such wheel"));
  const auto logs = PosixFileSystem().ReadDirectory(tree_ / "cache/logs");
  ASSERT_EQ(logs->size(), 1U);
  EXPECT_THAT(ready.error().hint, HasSubstr(logs->at(0).name));
  EXPECT_THAT(Cached(), ElementsAre(".locks"));
  EXPECT_THAT(*PosixFileSystem().ReadDirectory(tree_ / "cache/package-sets"), IsEmpty());
}

TEST_F(VirtualenvTest, InstallsOnlyChangedPackages) {
  WriteUv("*--offline*");
  lock_.packages = {{"one", "1", "", {"sha256:a"}}, {"two", "1", "", {"sha256:b"}}};
  ASSERT_TRUE(Ensure());
  lock_.packages[1].version = "2";
  const auto ready = Ensure();
  ASSERT_TRUE(ready) << ready.error().message;
  const std::string requested = tree_.Read("requested");
  EXPECT_EQ(requested.find("one==1"), requested.rfind("one==1")) << requested;
  EXPECT_THAT(requested, HasSubstr("two==1"));
  EXPECT_THAT(requested, HasSubstr("two==2"));
  EXPECT_TRUE(
      PosixFileSystem().Lstat(ready->root / "lib/python3.99/site-packages/one-1.dist-info/RECORD"));
}

TEST_F(VirtualenvTest, CachedPackagesNeedNoIndex) {
  WriteUv("*requirements.txt");  // the end of the command without --offline
  lock_.packages = {{"one", "1", "", {"sha256:a"}}};
  const auto ready = Ensure();
  EXPECT_TRUE(ready) << ready.error().message;
}

TEST_F(VirtualenvTest, BuildLocksPackageSets) {
  const EnvironmentCacheLayout layout{options_.tools.cache_dir};
  std::vector<bool> is_locked;
  test::FaultyFileSystem watched(
      [&](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        const bool is_publishing = operation == "renaming to" && path == layout.Root(Id());
        if (is_publishing || path == layout.PackageSets()) {
          const auto lock = FileLock::Try(PosixFileSystem(), layout.PackageSetsLock());
          if (lock) is_locked.push_back(!*lock);
        }
        return std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo);
  options_.tools.fs = &watched;
  ASSERT_TRUE(Ensure());
  EXPECT_THAT(is_locked, ElementsAre(true, true)) << "reading the sets, and publishing";
}

TEST_F(VirtualenvTest, LeavesNothingVisibleOnWriteErrors) {
  ASSERT_TRUE(FindPython("", options_.tools, {}));
  for (std::uint64_t fail_at = 0;; ++fail_at) {
    test::FaultyFileSystem faulty([&](std::uint64_t index, std::string_view, const Path&) {
      return index == fail_at ? std::optional<int>(ENOSPC) : std::nullopt;
    });
    options_.tools.fs = &faulty;
    const auto ready = Ensure();
    options_.tools.fs = &PosixFileSystem();
    const bool failed_late = faulty.count() <= fail_at;
    const auto found = MakeVirtualenvBuilder(options_)->Find(lock_, {});
    ASSERT_TRUE(found);
    if (ready) {
      EXPECT_TRUE(*found);
    } else {
      EXPECT_EQ(ready.error().code, ErrorCode::kResourceExhausted) << ready.error().message;
    }
    ASSERT_TRUE(RemoveTree(PosixFileSystem(), tree_ / "cache/environments"));
    if (failed_late) break;
  }
}

TEST_F(VirtualenvTest, IsListedAndEvicted) {
  EXPECT_TRUE(ListEnvironments(PosixFileSystem(), tree_ / "cache")->empty());
  ASSERT_TRUE(Ensure());
  auto listed = ListEnvironments(PosixFileSystem(), tree_ / "cache");
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->at(0).id, Id());
  EXPECT_GT(listed->at(0).size_bytes, 100U);
  CachedEnvironment older = listed->at(0);
  older.last_used -= std::chrono::hours(1);
  EXPECT_FALSE(*EvictEnvironment(PosixFileSystem(), tree_ / "cache", older));
  {
    const auto held =
        FileLock::Try(PosixFileSystem(), tree_ / ("cache/environments/.locks/" + Id()));
    ASSERT_TRUE(held && *held);
    EXPECT_FALSE(*EvictEnvironment(PosixFileSystem(), tree_ / "cache", listed->at(0)));
  }
  EXPECT_TRUE(*EvictEnvironment(PosixFileSystem(), tree_ / "cache", listed->at(0)));
  EXPECT_THAT(Cached(), ElementsAre(".locks"));
}

TEST_F(VirtualenvTest, EnsureUpdatesTimeOfUse_FindDoesNot) {
  ASSERT_TRUE(Ensure());
  const auto used = [&] {
    return ListEnvironments(PosixFileSystem(), tree_ / "cache")->at(0).last_used;
  };
  const WallTime before = used();
  test::FakeClock clock;
  clock.Advance(std::chrono::hours(100'000));
  options_.tools.clock = &clock;
  const auto found = MakeVirtualenvBuilder(options_)->Find(lock_, {});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(used(), before);
  ASSERT_TRUE(Ensure());
  EXPECT_NE(used(), before);
}

TEST_F(VirtualenvTest, SweepsOldWorkingFoldersAndLogs) {
  test::FakeClock clock;
  options_.tools.clock = &clock;
  for (const char* const name : {"cache/tmp/lock-x/requirements.txt", "cache/logs/old.log"}) {
    tree_.Write(name, "");
  }
  for (const char* const name : {"cache/tmp/lock-x", "cache/logs/old.log"}) {
    ASSERT_TRUE(PosixFileSystem().SetModifiedTime(tree_ / name, clock.Now()));
  }
  const auto count = [&](const char* name) {
    return PosixFileSystem().ReadDirectory(tree_ / name)->size();
  };
  clock.Advance(std::chrono::hours(40));
  ASSERT_TRUE(SweepEnvironments(options_.tools, std::chrono::hours(50)));
  EXPECT_EQ(count("cache/tmp") + count("cache/logs"), 2U);
  clock.Advance(std::chrono::hours(20));
  ASSERT_TRUE(SweepEnvironments(options_.tools, std::chrono::hours(50)));
  EXPECT_EQ(count("cache/tmp") + count("cache/logs"), 0U);
}

TEST(InstallerLog, RedactsAndKeepsLastLines) {
  const test::TempTree tree;
  auto log = InstallerLog::Create(PosixFileSystem(), tree / "logs/x.log", {"s3cret"}, nullptr);
  ASSERT_TRUE(log);
  log->Write("Collecting six\nLooking at https://ana:pw@h.example/ with s3");
  log->Write("cret\n\n[notice] new pip\rERROR: \x1b[31mno\n");
  for (int i = 0; i < 20; ++i) log->Write("line " + std::to_string(i) + "\n");
  log->Write("last, without an end");
  const auto lines = log->LastLines();
  ASSERT_EQ(lines.size(), 15U);
  EXPECT_EQ(lines.back(), "last, without an end");
  EXPECT_EQ(lines.front(), "line 6");
  EXPECT_TRUE(log->Contains("ERROR: "));
  const std::string text = tree.Read("logs/x.log");
  EXPECT_THAT(text, HasSubstr("https://***@h.example/ with ***\n"));
  EXPECT_THAT(text, HasSubstr("[notice] new pip\nERROR: \\x1b[31mno\n"));
  EXPECT_EQ(PosixFileSystem().Lstat(tree / "logs/x.log")->mode, 0600U);
}

}  // namespace
}  // namespace kinetic::env
