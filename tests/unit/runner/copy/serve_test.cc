#include "runner/copy/serve.h"

#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class ServeCopyTest : public ::testing::Test {
 protected:
  ServeCopyTest() {
    record_.id = "k-1";
    record_.nonce = "00aa";
    tree_.Write("run/work/train.log", "line\n");
    tree_.Write("run/work/tool", "#!", 0755);
    tree_.Write("run/output/plots/a.svg", "plot");
    tree_.Write("run/checkpoints/step-1/w", "weights");
    tree_.MakeLink("run/checkpoints/latest", "step-1");
    tree_.Write("secret", "secret");
  }

  Result<record::CopyAnswer> Serve(const record::CopyRequest& request) {
    const local::Runtime runtime{tree_ / "run"};
    const auto files = local::ProgramFiles::Open(PosixFileSystem(), runtime.folder, user_);
    CopyCounter counter;
    return ServeCopy({store_, *files, record_, runtime}, "r", request, counter, {});
  }
  Result<record::CopyAnswer> Download(const std::string& path) { return Serve({.path = path}); }
  /// Uploads what Store has stored.
  Result<record::CopyAnswer> Upload(const std::string& path, const std::string& name,
                                    bool is_folder = false) {
    return Serve({.is_upload = true, .path = path, .name = name, .is_folder = is_folder});
  }

  void Store(const std::string& path, std::string_view content,
             const store::Metadata& metadata = {}) {
    ASSERT_TRUE(store::Overwrite(store_, kPrefix + path, content, {}, metadata));
  }
  /// Returns the stored contents by path.
  std::map<std::string, std::string> Stored() const {
    std::map<std::string, std::string> files;
    for (const auto& [name, info] : store_.Objects()) {
      files.emplace(name.substr(kPrefix.size()), *store_.Peek(name));
    }
    return files;
  }

  const std::string kPrefix = record::CopiedFilesFolder("k-1", "r");
  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  record::Record record_;
  std::optional<std::uint32_t> user_;  ///< of the program
};

TEST_F(ServeCopyTest, FileIsStoredUnderItsName) {
  const auto answer = Download("train.log");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->is_folder);
  EXPECT_EQ(answer->files, 1U);
  EXPECT_EQ(answer->bytes, 5U);
  EXPECT_EQ(answer->job.nonce, "00aa");
  EXPECT_THAT(Stored(), ElementsAre(Pair("train.log", "line\n")));
}

TEST_F(ServeCopyTest, FolderIsStoredWithPathsBelowIt) {
  const auto answer = Download("checkpoints");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->is_folder);
  EXPECT_THAT(Stored(), UnorderedElementsAre(Pair("step-1/w", "weights"), Pair("latest", "")));
}

TEST_F(ServeCopyTest, LinkInTheFolderIsFollowed) {
  const auto answer = Download("checkpoints/latest/w");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(Stored(), ElementsAre(Pair("w", "weights")));
  EXPECT_THAT(answer->path, HasSubstr("step-1/w"));
}

TEST_F(ServeCopyTest, LinkThatLeavesTheFolderIsNotFollowed) {
  tree_.MakeLink("run/work/evil", (tree_ / "secret").native());
  tree_.MakeLink("run/work/up", "../../");
  tree_.MakeLink("run/work/other", "../output");
  for (const char* path : {"evil", "up/secret", "up/run/work/train.log", "other/plots"}) {
    EXPECT_FALSE(Download(path)) << path;
  }
  EXPECT_THAT(Download("evil").error().message, HasSubstr("evil is a link to a missing file, or"));
  EXPECT_THAT(Stored(), IsEmpty());
  const auto all = Download("");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(Stored(), UnorderedElementsAre(Pair("train.log", "line\n"), Pair("tool", "#!")));
  EXPECT_EQ(all->skipped.size(), 3U);
}

TEST_F(ServeCopyTest, MissingPathNamesTheNearest) {
  const auto missing = Download("train.lgo");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "train.lgo does not exist in job k-1");
  EXPECT_EQ(missing.error().hint, "did you mean 'train.log'?");
  EXPECT_EQ(Download("outputs/plot/a.svg").error().message,
            "outputs/plot does not exist in job k-1");
  EXPECT_EQ(Download("train.log/a").error().message, "train.log is not a folder");
  tree_.Write("run/work/outputs/mine", "x");
  EXPECT_EQ(Download("outputs/mine").error().hint,
            "for outputs/mine in the working directory, write ./outputs/mine");
}

TEST_F(ServeCopyTest, UploadedFileGoesIntoAnExistingFolder) {
  Store("stop", "now", {{"executable", "1"}});
  auto answer = Upload("", "stop");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(tree_.Read("run/work/stop"), "now");
  EXPECT_NE(std::filesystem::status(tree_ / "run/work/stop").permissions() &
                std::filesystem::perms::owner_exec,
            std::filesystem::perms::none);
  ASSERT_TRUE(Upload("checkpoints/latest", "stop"));
  EXPECT_EQ(tree_.Read("run/checkpoints/step-1/stop"), "now");
  ASSERT_TRUE(Upload("train.log", "stop"));
  EXPECT_EQ(tree_.Read("run/work/train.log"), "now");
}

TEST_F(ServeCopyTest, UploadedFolderIsMerged) {
  Store("a.svg", "new");
  Store("deep/b", "b");
  Store("link", "b", {{"link", "deep/b"}});
  auto answer = Upload("outputs", "plots", true);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(tree_.Read("run/output/plots/a.svg"), "new");
  EXPECT_EQ(tree_.Read("run/output/plots/deep/b"), "b");
  EXPECT_EQ(std::filesystem::read_symlink(tree_ / "run/output/plots/link"), "deep/b");
}

TEST_F(ServeCopyTest, UploadedFilesBelongToTheProgramsUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  user_ = 65532;
  Store("deep/b", "b");
  const auto answer = Upload("", "new", true);
  ASSERT_TRUE(answer) << answer.error().message;
  for (const char* name : {"run/work/new", "run/work/new/deep", "run/work/new/deep/b"}) {
    EXPECT_EQ(PosixFileSystem().Lstat(tree_ / name)->owner, 65532U) << name;
  }
}

TEST_F(ServeCopyTest, UploadFollowsTheRulesOfCp) {
  Store("x", "x");
  EXPECT_EQ(Upload("missing/x", "x").error().message, "missing does not exist in job k-1");
  EXPECT_EQ(Upload("missing/", "x").error().message, "missing does not exist in job k-1");
  EXPECT_EQ(Upload("train.log/", "x").error().message, "train.log is not a folder");
  EXPECT_EQ(Upload("outputs", "plots").error().message,
            "cannot replace the folder outputs/plots with a file");
  EXPECT_EQ(Upload("train.log", "x", true).error().message,
            "cannot replace train.log with a folder");
  EXPECT_EQ(Upload("", "../x").error().code, ErrorCode::kInvalidArgument);
}

/// The system ends a path at a NUL byte: "..\0" is "..".
TEST_F(ServeCopyTest, NulBytesAreRejected) {
  using std::string_literals::operator""s;
  Store("x", "x");
  for (const std::string& path : {"..\0/..\0/secret"s, "a\0"s, "/..\0/secret"s}) {
    EXPECT_EQ(Download(path).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(Upload(path, "x").error().code, ErrorCode::kInvalidArgument);
  }
  for (const std::string& name : {"..\0"s, "."s, ".."s, "a/b"s, "a\0"s}) {
    EXPECT_EQ(Upload("", name, true).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(Stored().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(tree_ / "x"));
}

TEST_F(ServeCopyTest, FoldersOfUploadedLinksBelongToTheProgramsUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  user_ = 65532;
  Store("b", "b");
  Store("only/link", "b", {{"link", "../b"}});
  const auto answer = Upload("", "new", true);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(std::filesystem::read_symlink(tree_ / "run/work/new/only/link"), "../b");
  EXPECT_EQ(PosixFileSystem().Lstat(tree_ / "run/work/new/only")->owner, 65532U);
}

TEST_F(ServeCopyTest, OnlyRegularFilesAreReplaced) {
  Store("x", "x");
  ASSERT_EQ(::mkfifo((tree_ / "run/work/pipe").c_str(), 0600), 0);
  EXPECT_EQ(Upload("pipe", "x").error().message, "pipe is not a regular file");
}

TEST_F(ServeCopyTest, UploadedFileIsNoLink) {
  Store("x", "x", {{"link", "x"}});
  ASSERT_TRUE(Upload("", "x"));
  EXPECT_EQ(tree_.Read("run/work/x"), "x");
}

TEST_F(ServeCopyTest, UploadThroughALinkThatLeavesTheFolderFails) {
  Store("x", "x");
  tree_.MakeFolder("elsewhere");
  tree_.MakeLink("run/work/out", "../../elsewhere");
  EXPECT_FALSE(Upload("out", "x"));
  EXPECT_FALSE(Upload("out/x", "x"));
  EXPECT_TRUE(std::filesystem::is_empty(tree_ / "elsewhere"));
  EXPECT_TRUE(std::filesystem::is_symlink(tree_ / "run/work/out"));
}

}  // namespace
}  // namespace kinetic::runner
