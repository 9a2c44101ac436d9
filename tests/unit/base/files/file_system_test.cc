#include "base/files/file_system.h"

#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace kinetic {
namespace {

using test::FaultyFileSystem;
using test::TempTree;

TEST(ReadFile, ReturnsTheContentUpToTheLimit) {
  const TempTree tree;
  const Path path = tree.Write("a", std::string(100'000, 'x'));
  EXPECT_EQ(ReadFile(PosixFileSystem(), path, 100'000)->size(), 100'000U);
  const auto limited = ReadFile(PosixFileSystem(), path, 99'999);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, ErrorCode::kResourceExhausted);
}

TEST(ReadFile, ReadsFilesWithoutASize) {
  const auto status = ReadFile(PosixFileSystem(), "/proc/self/status", 1 << 20);
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("Pid:"), std::string::npos);
}

TEST(ReadFile, NamesTheFileAndTheCause) {
  const auto absent = ReadFile(PosixFileSystem(), "/nonexistent/file", 10);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(absent.error().message, "opening /nonexistent/file: no such file or directory");
}

TEST(ReadRegularFile, RejectsPipesAndFoldersWithoutWaiting) {
  const TempTree tree;
  EXPECT_EQ(*ReadRegularFile(PosixFileSystem(), tree.Write("a", "text"), 10), "text");
  ASSERT_EQ(::mkfifo((tree / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", tree / "link");
  for (const Path& path : {tree / "pipe", tree / "link", Path("/dev/zero"), tree.path()}) {
    const auto read = ReadRegularFile(PosixFileSystem(), path, 10);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument) << read.error().message;
  }
}

TEST(PosixFileSystem, NamesTheFileOfADescriptor) {
  const auto fd = PosixFileSystem().Open("/dev/full", OpenMode::kReadWrite, 0);
  ASSERT_TRUE(fd);
  const auto written = PosixFileSystem().Write(fd->get(), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "writing /dev/full: no space left on device");
  EXPECT_TRUE(IsDiskFull(written.error()));
  EXPECT_FALSE(IsDiskFull(ErrnoError(EMFILE, "opening", "/x")));
}

TEST(WriteFileAtomically, ReplacesTheFileWithoutLeftovers) {
  const TempTree tree;
  const Path path = tree.Write("a", "old");
  ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), path, "new", 0600));
  EXPECT_EQ(tree.Read("a"), "new");
  EXPECT_EQ(PosixFileSystem().Lstat(path)->mode, 0600U);
  EXPECT_EQ(PosixFileSystem().ReadDirectory(tree.path())->size(), 1U);
}

TEST(WriteFileAtomically, FailureAtAnyStepKeepsTheOldContent) {
  const TempTree tree;
  const Path path = tree.Write("a", "old");
  FaultyFileSystem counting([](auto, auto, const auto&) { return std::nullopt; });
  ASSERT_TRUE(WriteFileAtomically(counting, tree / "b", "x"));
  for (std::uint64_t fault = 0; fault + 1 < counting.count(); ++fault) {
    FaultyFileSystem faulty([&](std::uint64_t index, auto, const auto&) -> std::optional<int> {
      return index == fault ? std::optional(ENOSPC) : std::nullopt;
    });
    const auto written = WriteFileAtomically(faulty, path, "new");
    ASSERT_FALSE(written) << fault;
    EXPECT_EQ(written.error().code, ErrorCode::kResourceExhausted);
    EXPECT_EQ(tree.Read("a"), "old");
    EXPECT_EQ(PosixFileSystem().ReadDirectory(tree.path())->size(), 2U) << fault;
  }
}

TEST(MakeDirectories, CreatesMissingFoldersAndAcceptsExistingOnes) {
  const TempTree tree;
  ASSERT_TRUE(MakeDirectories(PosixFileSystem(), tree / "a/b/c"));
  ASSERT_TRUE(MakeDirectories(PosixFileSystem(), tree / "a/b/c"));
  tree.Write("file", "");
  EXPECT_FALSE(MakeDirectories(PosixFileSystem(), tree / "file/x"));
  EXPECT_FALSE(MakeDirectories(PosixFileSystem(), tree / "file"));
}

TEST(MakeDirectories, StopsIfTheParentIsReportedMissing) {
  const auto made = MakeDirectories(PosixFileSystem(), "/proc/kinetic/deep");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);
}

TEST(RemoveTree, TakesAsLongForDeepFoldersAsForWideOnes) {
  constexpr int kFolders = 4000;
  const test::TempTree tree;
  tree.MakeFolder("gone");
  UniqueFd folder(::open((tree / "gone").c_str(), O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kFolders; ++i) {
    ASSERT_EQ(::mkdirat(folder.get(), "deep", 0700), 0);
    folder = UniqueFd(::openat(folder.get(), "deep", O_DIRECTORY | O_CLOEXEC));
  }
  std::size_t parts = 0;  // which a confined file system opens one by one
  test::FaultyFileSystem fs(
      [&](std::uint64_t, std::string_view, const Path& path) -> std::optional<int> {
        parts += static_cast<std::size_t>(std::ranges::distance(path));
        return std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo);
  const auto confined = fs.Confined(tree.path());
  const Status removed = RemoveTree(*confined, tree / "gone");
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(std::filesystem::exists(tree / "gone"));
  EXPECT_LT(parts, std::size_t{kFolders} * 200);
}

TEST(RemoveTree, FailsIfAnotherProgramKeepsWriting) {
  const TempTree tree;
  tree.Write("gone/a", "x");
  int reads = 0;
  test::FaultyFileSystem fs(
      [&](std::uint64_t, std::string_view operation, const Path&) -> std::optional<int> {
        if (operation == "removing") tree.Write("gone/" + std::to_string(++reads), "x");
        return reads > 1000 ? std::optional(EIO) : std::nullopt;
      });
  const Status removed = RemoveTree(fs, tree / "gone");
  ASSERT_FALSE(removed);
  EXPECT_LT(reads, 1000);
}

TEST(RemoveTree, RemovesLinksWithoutFollowingThem) {
  const TempTree tree;
  tree.Write("kept/file", "precious");
  tree.Write("gone/a/b", "x");
  tree.MakeLink("gone/link", tree / "kept");
  ASSERT_TRUE(PosixFileSystem().SetMode(tree / "gone/a", 0));
  ASSERT_TRUE(RemoveTree(PosixFileSystem(), tree / "gone"));
  EXPECT_EQ(PosixFileSystem().Lstat(tree / "gone").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(tree.Read("kept/file"), "precious");
  EXPECT_TRUE(RemoveTree(PosixFileSystem(), tree / "gone"));
}

TEST(FileSystem, ReturnsTheStatusOfAFile) {
  const TempTree tree;
  tree.Write("file", "12345", 0751);
  tree.MakeLink("link", "file");
  auto& fs = PosixFileSystem();
  const auto file = fs.Lstat(tree / "file");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->type, FileType::kRegular);
  EXPECT_EQ(file->mode, 0751U);
  EXPECT_EQ(file->size_bytes, 5U);
  EXPECT_GT(file->mtime_ns, 1'600'000'000'000'000'000);
  EXPECT_EQ(fs.Lstat(tree / "link")->type, FileType::kSymlink);
  EXPECT_EQ(fs.Lstat(tree.path())->type, FileType::kDirectory);
  EXPECT_EQ(*fs.ReadLink(tree / "link"), "file");
}

TEST(ConfinedFileSystem, RejectsPathsOutsideItsRoot) {
  const TempTree tree;
  tree.Write("inside/file", "x");
  tree.Write("inside-too/file", "x");
  const auto fs = PosixFileSystem().Confined(tree / "inside");
  EXPECT_TRUE(fs->Lstat(tree / "inside/file"));
  EXPECT_TRUE(fs->Lstat(tree / "inside"));
  EXPECT_EQ(fs->ReadDirectory(tree / "inside")->size(), 1U);
  for (const char* path : {"inside-too/file", "inside/../inside-too/file", "."}) {
    EXPECT_EQ(fs->Lstat(tree / path).error().code, ErrorCode::kInternal) << path;
  }
}

TEST(ConfinedFileSystem, RejectsNulBytes) {
  const test::TempTree tree;
  tree.Write("secret", "x");
  tree.Write("root/a", "x");
  const auto fs = PosixFileSystem().Confined(tree / "root");
  using std::string_literals::operator""s;
  for (const std::string& name : {"..\0/secret"s, "a\0b"s}) {
    const auto status = fs->Lstat(tree / "root" / name);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ConfinedFileSystem, FollowsNoLinkInAnyOperation) {
  const TempTree tree;
  tree.Write("outside/file", "precious");
  tree.Write("root/file", "x");
  tree.MakeLink("root/link", tree / "outside");
  tree.MakeLink("root/file-link", tree / "outside/file");
  const auto fs = PosixFileSystem().Confined(tree / "root");
  const Path through = tree / "root/link/file";
  EXPECT_EQ(fs->Open(through, OpenMode::kRead, 0).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(fs->Open(tree / "root/file-link", OpenMode::kTruncate, 0).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(fs->ReadDirectory(tree / "root/link"));
  EXPECT_FALSE(fs->Lstat(through));
  EXPECT_FALSE(fs->Unlink(through));
  EXPECT_FALSE(fs->Rename(through, tree / "root/x"));
  EXPECT_FALSE(fs->Rename(tree / "root/file", through));
  EXPECT_FALSE(fs->Link(tree / "root/file", tree / "root/link/new"));
  EXPECT_FALSE(fs->SetMode(tree / "root/file-link", 0777));
  EXPECT_FALSE(fs->SetModifiedTime(through, WallTime()));
  EXPECT_FALSE(fs->MakeDirectory(tree / "root/link/new", 0777));
  EXPECT_EQ(tree.Read("outside/file"), "precious");
  EXPECT_EQ(PosixFileSystem().Lstat(tree / "outside/file")->mode, 0644U);
  // The link itself can be read and removed.
  EXPECT_EQ(fs->Lstat(tree / "root/link")->type, FileType::kSymlink);
  EXPECT_TRUE(fs->Unlink(tree / "root/link"));
  EXPECT_EQ(tree.Read("outside/file"), "precious");
}

TEST(ConfinedFileSystem, KeepsTheFolderThatItOpened) {
  const TempTree tree;
  tree.Write("root/file", "first");
  tree.Write("other/file", "second");
  const auto again = PosixFileSystem().Confined(tree / "root");
  const auto once = PosixFileSystem().OpenConfined(tree / "root");
  ASSERT_TRUE(once);
  std::filesystem::rename(tree / "root", tree / "moved");
  tree.MakeLink("root", tree / "other");
  EXPECT_EQ(*ReadFile(**once, tree / "root/file", 100), "first");
  EXPECT_EQ(*ReadFile(*again, tree / "root/file", 100), "second");
}

TEST(FileSystem, SetsTimesToTheNanosecond) {
  const TempTree tree;
  const Path path = tree.Write("file", "");
  const WallTime time{std::chrono::nanoseconds(1'234'567'890'123'456'789)};
  ASSERT_TRUE(PosixFileSystem().SetModifiedTime(path, time));
  EXPECT_EQ(PosixFileSystem().Lstat(path)->mtime_ns, 1'234'567'890'123'456'789);
}

TEST(FileSystem, LinkDoesNotReplace) {
  const TempTree tree;
  tree.Write("a", "a");
  tree.Write("b", "b");
  const auto linked = PosixFileSystem().Link(tree / "a", tree / "b");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(tree.Read("b"), "b");
}

TEST(ErrnoError, EscapesPaths) {
  const Error error = ErrnoError(ENOSPC, "writing", "/a\x1b[2J\n");
  EXPECT_EQ(error.message, "writing /a\\x1b[2J\\x0a: no space left on device");
  EXPECT_FALSE(error.hint.empty());
}

}  // namespace
}  // namespace kinetic
