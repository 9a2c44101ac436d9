// Replaces a job's folders, files and their parents at every moment while they are stored, as a
// hostile program could, and checks that nothing is stored that the program could not have read
// itself.

#include "base/random.h"
#include "record/object_names.h"
#include "runner/copy/serve.h"
#include "runner/outcome/checkpoints.h"
#include "runner/outcome/output_sync.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>

namespace kinetic::runner {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

/// A runtime directory with a job's folder, and a folder of another user that has the same names.
struct Scene {
  Scene() {
    for (const char* name : {"run/work/a", "run/work/d/b", "run/work/d/e/c"})
      tree.Write(name, "own");
    for (const char* name : {"foreign/work/a", "foreign/work/d/b", "foreign/work/d/e/c",
                             "foreign/a", "foreign/d/b", "foreign/d/e/c", "foreign/b"}) {
      fs::permissions(tree.Write(name, secret), fs::perms::owner_read);
    }
    fs::permissions(tree / "foreign/d", fs::perms::owner_all);
  }

  Path job() const { return tree / "run/work"; }
  Path foreign() const { return tree / "foreign"; }

  /// Returns the names of objects that contain the secret.
  std::vector<std::string> Leaks() const {
    std::vector<std::string> leaks;
    for (const auto& [name, info] : store.Objects()) {
      if (store.Peek(name)->find(secret.substr(1000, 64)) != std::string::npos) {
        leaks.push_back(name);
      }
    }
    return leaks;
  }

  test::TempTree tree;
  test::FakeClock clock;
  test::MemoryStore store{clock};
  const std::string secret = RandomBytes(4096);  // not compressible, so that it is found
};

void ReplaceByLink(const Path& path, const Path& target) {
  fs::remove_all(path);
  fs::create_symlink(target, path);
}

using Replacement = std::function<void(const Scene& scene)>;

/// What a program may do that has no access to the foreign files.
const std::map<std::string, Replacement>& Links() {
  static const std::map<std::string, Replacement> replacements = {
      {"folder", [](const Scene& s) { ReplaceByLink(s.job(), s.foreign()); }},
      {"folder, relative", [](const Scene& s) { ReplaceByLink(s.job(), "../foreign"); }},
      {"parent",
       [](const Scene& s) {
         fs::rename(s.tree / "run", s.tree / "old");
         fs::create_symlink(s.foreign(), s.tree / "run");
       }},
      {"nested folder", [](const Scene& s) { ReplaceByLink(s.job() / "d", s.foreign() / "d"); }},
      {"deep folder",
       [](const Scene& s) { ReplaceByLink(s.job() / "d/e", "../../../foreign/d/e"); }},
      {"file", [](const Scene& s) { ReplaceByLink(s.job() / "a", s.foreign() / "a"); }},
      {"nested file", [](const Scene& s) { ReplaceByLink(s.job() / "d/b", "../../../foreign/b"); }},
      {"chain",
       [](const Scene& s) {
         ReplaceByLink(s.job() / "d/b", "../x");
         ReplaceByLink(s.job() / "x", "d/../y/a");
         ReplaceByLink(s.job() / "y", s.foreign());
       }},
      {"working directory of the process",
       [](const Scene& s) { ReplaceByLink(s.job() / "a", "/proc/self/cwd"); }},
      {"root of the process",
       [](const Scene& s) {
         ReplaceByLink(s.job() / "a", Path("/proc/self/root") / s.foreign().relative_path() / "a");
       }},
      {"pipe",
       [](const Scene& s) {
         fs::remove(s.job() / "a");
         ASSERT_EQ(::mkfifo((s.job() / "a").c_str(), 0666), 0);
       }},
  };
  return replacements;
}

/// What a program may do with files that it may not read but link or move.
const std::map<std::string, Replacement>& Moves() {
  static const std::map<std::string, Replacement> replacements = {
      {"hard link",
       [](const Scene& s) {
         fs::remove(s.job() / "a");
         fs::create_hard_link(s.foreign() / "a", s.job() / "a");
       }},
      {"link to a hard link",
       [](const Scene& s) {
         fs::create_hard_link(s.foreign() / "a", s.job() / "h");
         ReplaceByLink(s.job() / "a", "h");
       }},
      {"moved file", [](const Scene& s) { fs::rename(s.foreign() / "a", s.job() / "d/b"); }},
      {"moved folder",
       [](const Scene& s) {
         fs::remove_all(s.job() / "d");
         fs::rename(s.foreign() / "d", s.job() / "d");
       }},
      {"moved folder in place of the job's",
       [](const Scene& s) {
         fs::remove_all(s.job());
         fs::rename(s.foreign(), s.job());
       }},
  };
  return replacements;
}

using Collect = std::function<void(Scene& scene, FileSystem& files, std::optional<std::uint32_t>)>;

void CollectOutputs(Scene& scene, FileSystem& files, std::optional<std::uint32_t> user) {
  OutputSync sync({scene.store, files, scene.clock}, {scene.job(), "k-1"});
  ASSERT_TRUE(sync.Open(user));
  (void)sync.Poll({});
  scene.clock.Advance(kOutputQuiet);
  (void)sync.Poll({});
  (void)sync.Finish({});
}

void CollectCheckpoints(Scene& scene, FileSystem& files, std::optional<std::uint32_t> user) {
  scene.clock.Jump(std::chrono::system_clock::now() - scene.clock.Now());
  Checkpoints checkpoints({scene.store, files, scene.clock},
                          {scene.job(), scene.tree / "run/cache", "k-1"});
  ASSERT_TRUE(checkpoints.Open(user));
  (void)checkpoints.Poll({});
  scene.clock.Advance(kCheckpointQuiet);
  (void)checkpoints.Poll({});
  (void)checkpoints.Finish(false, {});
}

/// Serves requests to copy from or to a job.
class Copies {
 public:
  Copies(Scene& scene, FileSystem& files, std::optional<std::uint32_t> user)
      : scene_(scene),
        runtime_{scene.tree / "run"},
        files_(*local::ProgramFiles::Open(files, runtime_.folder, user)) {
    record_.id = "k-1";
  }

  void Serve(const record::CopyRequest& request) {
    CopyCounter counter;
    (void)ServeCopy({scene_.store, files_, record_, runtime_}, "r", request, counter, {});
  }

  /// Stores a file to upload in place of the one before.
  void Put(const std::string& path) {
    const std::string prefix = record::CopiedFilesFolder("k-1", "r");
    for (const auto& [name, info] : scene_.store.Objects()) {
      ASSERT_TRUE(scene_.store.RemoveIfUnchanged(info, {}));
    }
    ASSERT_TRUE(store::Overwrite(scene_.store, prefix + path, "new", {}));
  }

 private:
  Scene& scene_;
  const local::Runtime runtime_;
  const local::ProgramFiles files_;
  record::Record record_;
};

void CopyFrom(Scene& scene, FileSystem& files, std::optional<std::uint32_t> user) {
  Copies copies(scene, files, user);
  copies.Serve({});
  copies.Serve({.path = "d/b"});
  copies.Serve({.path = (scene.job() / "a").native()});
}

void CopyTo(Scene& scene, FileSystem& files, std::optional<std::uint32_t> user) {
  Copies copies(scene, files, user);
  copies.Put("b");
  copies.Serve({.is_upload = true, .path = "d", .name = "b"});
  copies.Serve({.is_upload = true, .path = "a", .name = "b"});
  copies.Put("e/c");
  copies.Serve({.is_upload = true, .path = "", .name = "d", .is_folder = true});
  copies.Serve({.is_upload = true, .path = "new", .name = "d", .is_folder = true});
}

/// Replaces before the operation `moment`; returns whether there was one.
bool ReplaceAt(std::uint64_t moment, const Replacement& replace, const Collect& collect,
               std::optional<std::uint32_t> user, const std::string& name) {
  Scene scene;
  bool replaced = false;
  // The first operation opens the runtime directory, which happens before the program runs.
  test::FaultyFileSystem files(
      [&](std::uint64_t index, std::string_view, const Path&) -> std::optional<int> {
        if (index == moment + 1 && !std::exchange(replaced, true)) replace(scene);
        return std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo);
  collect(scene, files, user);
  EXPECT_TRUE(scene.Leaks().empty())
      << name << " before operation " << moment << " leaks " << scene.Leaks().front();
  return replaced;
}

void Campaign(const std::map<std::string, Replacement>& replacements, const Collect& collect,
              std::optional<std::uint32_t> user) {
  for (const auto& [name, replace] : replacements) {
    std::uint64_t moment = 0;
    while (ReplaceAt(moment, replace, collect, user, name)) ++moment;
    EXPECT_GT(moment, 5U) << name;
  }
}

/// Checks that the folder of the other user has its own files and no others.
void ExpectUnchanged(const Scene& scene, const std::string& when) {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scene.foreign())) {
    if (entry.is_directory()) continue;
    ++files;
    const std::string name = entry.path().lexically_relative(scene.tree.path());
    EXPECT_EQ(scene.tree.Read(name), scene.secret) << name << " is changed " << when;
  }
  EXPECT_EQ(files, 7U) << when;
}

const std::uint32_t kOtherUser = ::geteuid() + 1;

TEST(HostileFolders, LinksOutOfOutputsAreNotFollowedAtAnyMoment) {
  Campaign(Links(), &CollectOutputs, std::nullopt);
}

TEST(HostileFolders, LinksOutOfCheckpointsAreNotFollowedAtAnyMoment) {
  Campaign(Links(), &CollectCheckpoints, std::nullopt);
}

TEST(HostileFolders, OutputsHaveNothingThatTheProgramMayNotRead) {
  Campaign(Moves(), &CollectOutputs, kOtherUser);
}

TEST(HostileFolders, CheckpointsHaveNothingThatTheProgramMayNotRead) {
  Campaign(Moves(), &CollectCheckpoints, kOtherUser);
}

TEST(HostileFolders, LinksOutOfCopiedFoldersAreNotFollowedAtAnyMoment) {
  Campaign(Links(), &CopyFrom, std::nullopt);
}

TEST(HostileFolders, CopiesHaveNothingThatTheProgramMayNotRead) {
  Campaign(Moves(), &CopyFrom, kOtherUser);
}

TEST(HostileFolders, UploadsChangeNothingOutsideOfTheJobAtAnyMoment) {
  const Collect upload = [](Scene& scene, FileSystem& files, std::optional<std::uint32_t> user) {
    CopyTo(scene, files, user);
    ExpectUnchanged(scene, "by an upload");
  };
  Campaign(Links(), upload, std::nullopt);
}

TEST(HostileFolders, SkippedOutputsAreNamedWithTheReason) {
  Scene scene;
  OutputSync sync({scene.store, PosixFileSystem(), scene.clock}, {scene.job(), "k-1"});
  ASSERT_TRUE(sync.Open(kOtherUser));
  Moves().at("hard link")(scene);
  Links().at("nested file")(scene);
  ASSERT_EQ(::mkfifo((scene.job() / "pipe").c_str(), 0666), 0);
  const auto report = sync.Finish({});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->failure);
  EXPECT_EQ(report->files, 1U);
  EXPECT_THAT(report->skipped, Contains("a: belongs to another user and cannot be read"));
  EXPECT_THAT(report->skipped, Contains(HasSubstr("d/b: points outside the output folder")));
  EXPECT_THAT(report->skipped, Contains("pipe: neither a file nor a folder"));
}

TEST(HostileFolders, ReplacedOutputFolderFails) {
  Scene scene;
  OutputSync sync({scene.store, PosixFileSystem(), scene.clock}, {scene.job(), "k-1"});
  ASSERT_TRUE(sync.Open(std::nullopt));
  Links().at("folder")(scene);
  const auto report = sync.Finish({});
  ASSERT_TRUE(report);
  ASSERT_TRUE(report->failure);
  EXPECT_THAT(report->failure->message, HasSubstr("symbolic link"));
}

TEST(HostileFolders, FolderThatTheProgramMadeAgainIsStored) {
  Scene scene;
  OutputSync sync({scene.store, PosixFileSystem(), scene.clock}, {scene.job(), "k-1"});
  ASSERT_TRUE(sync.Open(std::nullopt));
  fs::remove_all(scene.job());
  scene.tree.Write("run/work/new", "own");
  const auto report = sync.Finish({});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->failure);
  EXPECT_EQ(scene.store.Objects().count("outputs/k-1/new"), 1U);
}

}  // namespace
}  // namespace kinetic::runner
