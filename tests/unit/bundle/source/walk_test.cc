#include "bundle/source/walk.h"

#include "unit/bundle/walk_fixture.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace kinetic::bundle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using WalkTest = WalkFixture;

TEST_F(WalkTest, SortsEntriesBytewise) {
  WriteAll({"a/b", "a-b", "a.b", "a0", "A", "b", "a/\xff", "\xff"});
  (void)tree_.MakeFolder("a!");
  (void)tree_.MakeFolder("c");
  WriteAll({"c-d"});
  EXPECT_THAT(Paths(),
              ElementsAre("A", "a!", "a-b", "a.b", "a/b", "a/\xff", "a0", "b", "c", "c-d", "\xff"));
}

TEST_F(WalkTest, IsIndependentOfTheNumberOfThreads) {
  for (int i = 0; i < 200; ++i) {
    (void)tree_.Write(
        "d" + std::to_string(i % 17) + "/e" + std::to_string(i % 5) + "/f" + std::to_string(i),
        "x");
  }
  (void)tree_.Write("d3/.gitignore", "e2/\n");
  const auto one = Paths({.threads = 1});
  EXPECT_TRUE(std::ranges::is_sorted(one));
  EXPECT_EQ(one, Paths({.threads = 4}));
  EXPECT_EQ(one, Paths({.threads = 0}));
}

TEST_F(WalkTest, ReturnsTheStatusOfFiles) {
  (void)tree_.Write("plain", "12345", 0664);
  (void)tree_.Write("tool", "#!/bin/sh", 0744);
  (void)tree_.Write("for others", "x", 0655);
  const auto walked = Walked();
  ASSERT_EQ(walked.entries.size(), 3U);
  EXPECT_FALSE(walked.entries[0].executable);  // not executable by its owner
  EXPECT_FALSE(walked.entries[1].executable);
  EXPECT_TRUE(walked.entries[2].executable);
  const auto status = PosixFileSystem().Lstat(tree_ / "plain");
  EXPECT_EQ(walked.entries[1].status.size_bytes, 5U);
  EXPECT_EQ(walked.entries[1].status.mtime_ns, status->mtime_ns);
  EXPECT_EQ(walked.entries[1].status.inode, status->inode);
  EXPECT_EQ(walked.root, tree_.path());
  EXPECT_EQ(walked.root_reason, "has a test");
}

TEST_F(WalkTest, KeepsEmptyFolders) {
  (void)tree_.MakeFolder("a/b/c");
  (void)tree_.MakeFolder("logs");
  WriteAll({"logs/x.log", "full/x"});
  const auto walked = Walked({.exclude = {"*.log"}});
  ASSERT_EQ(walked.entries.size(), 3U);
  EXPECT_EQ(walked.entries[0].path, "a/b/c");
  EXPECT_EQ(walked.entries[0].type, BundleEntry::Type::kEmptyFolder);
  EXPECT_EQ(walked.entries[1].path, "full/x");
  EXPECT_EQ(walked.entries[2].path, "logs");  // the program may write into it
}

TEST_F(WalkTest, AcceptsNamesOfAnyBytes) {
  WriteAll({"\xff\xfe", "a\nb", " ", "-rf", "\xe2\x82\xac", "back\\slash"});
  EXPECT_THAT(Paths(), ElementsAre(" ", "-rf", "a\nb", "back\\slash", "\xe2\x82\xac", "\xff\xfe"));
}

TEST_F(WalkTest, WarnsAboutSocketsAndPipes) {
  WriteAll({"a"});
  ASSERT_EQ(::mkfifo((tree_ / "pipe\n").c_str(), 0600), 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  struct sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (tree_ / "s").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  const auto walked = Walked();
  ASSERT_EQ(walked.entries.size(), 1U);
  EXPECT_THAT(walked.warnings,
              ElementsAre("pipe\\x0a is a socket, pipe or device and is not bundled",
                          "s is a socket, pipe or device and is not bundled"));
  EXPECT_THAT(Walked({.exclude = {"s", "pipe*"}}).warnings, IsEmpty());
}

TEST_F(WalkTest, WarnsAboutNamesOfSecrets) {
  WriteAll({".env", "tls/server.key", "tls/server.pub", ".env.example"});
  EXPECT_THAT(Walked().warnings,
              ElementsAre(HasSubstr(".env is bundled, but its name looks like a secret"),
                          HasSubstr("tls/server.key is bundled")));
  EXPECT_THAT(Walked({.exclude = {".env", "*.key"}}).warnings, IsEmpty());
}

TEST_F(WalkTest, ReportsTheLargestFolderIfThereAreTooManyFiles) {
  for (int i = 0; i < 30; ++i) (void)tree_.Write("data/images/" + std::to_string(i), "");
  WriteAll({"a", "b", "data/x"});
  EXPECT_TRUE(TryWalk({.max_entries = 40}));
  const auto walked = TryWalk({.threads = 2, .max_entries = 20});
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(walked.error().message, HasSubstr("more than 20 files; most are in data/images/"));
}

TEST_F(WalkTest, LimitsTheDepth) {
  std::string deep = "d";
  for (int i = 0; i < 255; ++i) deep += "/d";
  (void)tree_.MakeFolder(deep);
  EXPECT_THAT(Paths(), ElementsAre(deep));
  (void)tree_.Write(deep + "/x", "");
  const auto walked = TryWalk();
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(walked.error().message, HasSubstr("too long or too deep"));
}

TEST_F(WalkTest, ObservesTheStopToken) {
  WriteAll({"a/b/c"});
  std::stop_source stop;
  stop.request_stop();
  const auto walked =
      Walk(PosixFileSystem(), {.path = tree_.path(), .reason = "", .repository = {}}, {},
           stop.get_token());
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code, ErrorCode::kCancelled);
}

TEST_F(WalkTest, RejectsAnAbsentRoot) {
  const auto walked =
      Walk(PosixFileSystem(), {.path = tree_ / "absent", .reason = "", .repository = {}}, {}, {});
  EXPECT_EQ(walked.error().code, ErrorCode::kNotFound);
}

/// Walks as an unprivileged user in a child process. Returns the error message.
std::string WalkWithoutPrivileges(const Path& root) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(1);
    const auto walked =
        Walk(PosixFileSystem(), {.path = root, .reason = "", .repository = {}}, {}, {});
    const std::string text =
        walked ? "it went well"
               : std::string(Name(walked.error().code)) + " " + walked.error().message;
    ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string text(4096, '\0');
  const auto count = ::read(ends[0], text.data(), text.size());
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return text;
}

TEST_F(WalkTest, ReportsUnreadableFiles) {
  (void)tree_.Write("open", "x");
  (void)tree_.Write("sub/closed", "x", 0000);
  (void)tree_.Write("sub/.gitignore", "x", 0000);
  const auto folder = tree_.MakeFolder("shut");
  std::filesystem::permissions(folder, std::filesystem::perms::none);
  const std::string text = WalkWithoutPrivileges(tree_.path());
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  EXPECT_THAT(text, HasSubstr("PERMISSION_DENIED"));
  EXPECT_THAT(text, HasSubstr("cannot read shut/: permission denied"));
  EXPECT_THAT(text, HasSubstr("cannot read sub/closed: permission denied"));
  EXPECT_THAT(text, HasSubstr("cannot read sub/.gitignore: permission denied"));
  EXPECT_THAT(text, testing::Not(HasSubstr("open")));
}

TEST_F(WalkTest, ReportsTenProblems) {
  for (int i = 0; i < 14; ++i) (void)tree_.Write("f" + std::to_string(i), "x", 0000);
  const std::string text = WalkWithoutPrivileges(tree_.path());
  EXPECT_THAT(text, HasSubstr("14 entries of "));
  EXPECT_THAT(text, HasSubstr("\n  and 4 more"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 11);
}

TEST_F(WalkTest, ConvertsToTheTypeOfThePublicApi) {
  (void)tree_.Write("a", "12345");
  (void)tree_.Write("b/c", "123", 0755);
  (void)tree_.MakeLink("d", "a");
  (void)tree_.Write(".env", "");
  const auto listing = ToListing(Walked());
  EXPECT_EQ(listing.root, tree_.path());
  EXPECT_EQ(listing.root_reason, "has a test");
  EXPECT_EQ(listing.total_bytes, 8U);
  EXPECT_EQ(listing.warnings.size(), 1U);
  ASSERT_EQ(listing.entries.size(), 4U);
  EXPECT_EQ(listing.entries[1].size_bytes, 5U);
  EXPECT_TRUE(listing.entries[2].executable);
  EXPECT_EQ(listing.entries[3].type, BundleEntry::Type::kSymlink);
  EXPECT_EQ(listing.entries[3].link_target, "a");
}

}  // namespace
}  // namespace kinetic::bundle
