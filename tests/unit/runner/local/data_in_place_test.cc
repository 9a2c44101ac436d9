#include "runner/local/data_in_place.h"

#include "base/files/copy_content.h"
#include "bundle/source/walk.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/stat_cache.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DataInPlaceTest : public ::testing::Test {
 protected:
  /// Skips the test where overlays are not allowed, or not needed.
  void SetUp() override {
    FileSystem& fs = PosixFileSystem();
    tree_.Write("probe/content/a", "content");
    tree_.MakeFolder("probe/folder");
    tree_.MakeFolder("probe/scratch");
    const local::Overlay overlay{tree_ / "probe/content", tree_ / "probe/folder",
                                 tree_ / "probe/scratch"};
    const int failed = local::PrivateMounts::Make(fs, {overlay}, {}, {})->Try();
    if (failed != 0) GTEST_SKIP() << "SKIPPED: no overlays here: " << std::strerror(failed);
    const auto from = fs.Open(tree_ / "probe/content/a", OpenMode::kRead, 0);
    const auto to = fs.Open(tree_ / "probe/copy", OpenMode::kTruncate, 0600);
    ASSERT_TRUE(from && to);
    if (ShareContent(from->get(), to->get())) GTEST_SKIP() << "SKIPPED: reflinks are used instead";
    if (::setxattr(overlay.scratch.c_str(), "user.kinetic", "1", 1, 0) != 0)
      GTEST_SKIP() << "SKIPPED: no user attributes here: " << std::strerror(errno);
  }

  /// Writes a file that is large enough for an overlay, mostly a hole.
  void WriteLarge(std::string_view name, std::string_view content = "content") {
    std::filesystem::resize_file(tree_.Write(name, content), 16 << 20);
  }

  /// Stores the metadata of a source as a client does, and provides it at `path`.
  bool Provide(const std::string& name, const std::string& path, const std::string& file = {}) {
    FileSystem& fs = PosixFileSystem();
    const Path source = file.empty() ? tree_ / name : tree_ / name / file;
    auto tree = bundle::WalkDataSource(fs, source, false, {});
    const auto later = SystemClock().Now() + std::chrono::hours(1);  // new files are cached, too
    auto cache = bundle::StatCache::Load(fs, tree_ / "stat", later);
    const auto digest = bundle::ComputeTreeDigest({fs, *tree, *cache}, {}, {});
    EXPECT_TRUE(cache->Save(fs));
    const local::StoredSource stored{tree_ / name, file, tree_ / "stat"};
    in_place_.emplace(fs, runtime_, std::map<std::string, local::StoredSource>{{path, stored}});
    change_();
    return in_place_->Provide(path, {*digest, !file.empty()}, {});
  }

  /// Runs in a child that sees the data. Returns its exit code.
  int Run(const std::function<int()>& program) {
    const auto mounts =
        local::PrivateMounts::Make(PosixFileSystem(), in_place_->overlays(), {}, {});
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(mounts->Enter() != 0 ? 100 : program());
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
  }

  const test::TempTree tree_;
  const local::Runtime runtime_{tree_ / "run"};
  std::function<void()> change_ = [] {};  ///< after the source was stored
  std::optional<DataInPlace> in_place_;
};

int Shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

TEST_F(DataInPlaceTest, ProgramsChangeOnlyTheirOwnData) {
  WriteLarge("set/large");
  tree_.Write("set/a", "first");
  tree_.Write("set/b/c", "second");
  ASSERT_TRUE(Provide("set", "/data"));
  const std::string data = (runtime_.Data() / "data").native();
  EXPECT_EQ(Run([&] {
              return Shell("cd " + data +
                           " && grep -q first a && echo more >> a && rm -r b && mkdir b &&"
                           " test -z \"$(ls b)\" && echo new > new && chmod 600 a");
            }),
            0);
  EXPECT_EQ(tree_.Read("set/a"), "first");
  EXPECT_EQ(tree_.Read("set/b/c"), "second");
  EXPECT_FALSE(std::filesystem::exists(tree_ / "set/new"));
  EXPECT_EQ(tree_.Read("run/data/data/new"), "new\n");
  EXPECT_TRUE(in_place_->ChangeNotes({}).empty());
  EXPECT_TRUE(RemoveTree(PosixFileSystem(), runtime_.folder));
  EXPECT_EQ(tree_.Read("set/a"), "first");
}

TEST_F(DataInPlaceTest, AFileIsReadAndReplaced) {
  WriteLarge("set/model.bin", "weights");
  tree_.Write("set/other", "not data of the job");
  ASSERT_TRUE(Provide("set", "/in/model", "model.bin"));
  const std::string file = (runtime_.Data() / "in/model").native();
  EXPECT_EQ(Run([&] {
              return Shell("grep -q weights " + file + " && echo more >> " + file +
                           " && echo x > " + file + ".new && mv " + file + ".new " + file +
                           " && grep -q x " + file);
            }),
            0);
  EXPECT_EQ(tree_.Read("set/model.bin").substr(0, 8), std::string("weights\0", 8));
  EXPECT_EQ(std::filesystem::file_size(tree_ / "set/model.bin"), 16U << 20);
}

TEST_F(DataInPlaceTest, ChangedFilesAreNotUsed) {
  WriteLarge("set/large");
  tree_.Write("set/a", "first");
  tree_.MakeFolder("set/empty");
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { tree_.Write("set/a", "another"); }, [&] { tree_.Write("set/new", ""); },
           [&] { std::filesystem::remove(tree_ / "set/new"), tree_.MakeFolder("set/more"); },
           [&] { std::filesystem::remove(tree_ / "set/a"); },
           [&] { std::filesystem::remove_all(tree_ / "set"); }}) {
    change_ = change;
    EXPECT_FALSE(Provide("set", "/data"));
    EXPECT_TRUE(in_place_->overlays().empty());
    EXPECT_FALSE(std::filesystem::exists(runtime_.Data() / "data"));
  }
}

TEST_F(DataInPlaceTest, LinksOutOfTheOverlayAreNotUsed) {
  WriteLarge("set/large");
  tree_.Write("set/a", "first");
  tree_.MakeLink("set/relative", "a");
  EXPECT_TRUE(Provide("set", "/data"));
  EXPECT_TRUE(in_place_->Clear());
  tree_.MakeLink("set/absolute", (tree_ / "set/a").native());
  EXPECT_FALSE(Provide("set", "/data"));
}

TEST_F(DataInPlaceTest, SmallDataIsNotUsed) {
  tree_.Write("set/a", "first");
  EXPECT_FALSE(Provide("set", "/data"));
}

TEST_F(DataInPlaceTest, UnsuitableNamesAreNotUsed) {
  WriteLarge("with:colon/a");
  EXPECT_FALSE(Provide("with:colon", "/data"));
  EXPECT_FALSE(in_place_->Provide("/unknown", {}, {}));
}

TEST_F(DataInPlaceTest, ReportsLaterChanges) {
  WriteLarge("set/large");
  tree_.Write("set/a", "first");
  ASSERT_TRUE(Provide("set", "/data"));
  tree_.Write("set/a", "longer than before");
  EXPECT_THAT(in_place_->ChangeNotes({}),
              ElementsAre(HasSubstr("the data /data was changed while the job read it: " +
                                    (tree_ / "set").native())));
}

}  // namespace
}  // namespace kinetic::runner
