#include "base/process/subprocess.h"
#include "base/strings.h"
#include "oci/inspect/elf.h"
#include "support/temp_tree.h"
#include "unit/oci/elf_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kinetic::oci {
namespace {

using kinetic::test::TempTree;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Pair;

std::string Program(std::vector<std::string> needed, std::string runpath = "") {
  return BuildElf({.interpreter = "/lib64/ld-linux-x86-64.so.2",
                   .needed = std::move(needed),
                   .runpath = std::move(runpath)});
}

Result<SharedLibraries> Find(const std::string& program, const Path& path,
                             const std::vector<Path>& folders,
                             const std::vector<std::string>& also = {}) {
  return FindSharedLibraries(PosixFileSystem(), program, path, also, folders);
}

TEST(SharedLibraries, FoundRecursively) {
  const TempTree tree;
  tree.Write("one/liba.so", BuildElf({.needed = {"libb.so", "libc.so"}}));
  tree.Write("two/liba.so", "a script for the linker");
  tree.Write("two/libb.so", BuildElf({.needed = {"liba.so"}}));
  tree.Write("one/libb.so", BuildElf({.machine = kMachineArm64}));
  tree.Write("two/libc.so", BuildElf({}));
  tree.Write("two/later.so", BuildElf({.needed = {"libc.so"}}));
  const auto found = Find(Program({"liba.so"}), "/bin/p",
                          {tree / "none", tree / "one", tree / "two"}, {"later.so"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->interpreter, "/lib64/ld-linux-x86-64.so.2");
  EXPECT_THAT(found->files, ElementsAre(Pair("later.so", tree / "two/later.so"),
                                        Pair("ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2"),
                                        Pair("liba.so", tree / "one/liba.so"),
                                        Pair("libb.so", tree / "two/libb.so"),
                                        Pair("libc.so", tree / "two/libc.so")));
}

TEST(SharedLibraries, RunPathComesFirst) {
  const TempTree tree;
  tree.Write("app/lib/liba.so", BuildElf({.runpath = "${ORIGIN}/deeper"}));
  tree.Write("system/liba.so", BuildElf({}));
  tree.MakeFolder("app/bin");
  const auto found =
      Find(Program({"liba.so"}, "relative:$ORIGIN/../lib"), tree / "app/bin/p", {tree / "system"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->files.at("liba.so").lexically_normal(), tree / "app/lib/liba.so");
}

TEST(SharedLibraries, RpathAppliesToTheLibrariesOfALibrary) {
  const TempTree tree;
  tree.Write("lib/liba.so", BuildElf({.needed = {"libb.so"}}));
  tree.Write("lib/libb.so", BuildElf({}));
  tree.Write("lib/later.so", BuildElf({.needed = {"libb.so"}, .runpath = "/none"}));
  tree.MakeFolder("bin");
  const std::string with_rpath = BuildElf({.interpreter = "/lib64/ld-linux-x86-64.so.2",
                                           .needed = {"liba.so"},
                                           .rpath = "$ORIGIN/../lib"});
  const auto found = Find(with_rpath, tree / "bin/p", {tree / "none"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->files.at("libb.so").lexically_normal(), tree / "lib/libb.so");
  EXPECT_FALSE(Find(Program({"liba.so"}, "$ORIGIN/../lib"), tree / "bin/p", {tree / "none"}));
  EXPECT_FALSE(Find(BuildElf({.interpreter = "/lib64/ld-linux-x86-64.so.2",
                              .needed = {"later.so"},
                              .rpath = "$ORIGIN/../lib"}),
                    tree / "bin/p", {tree / "none"}));
}

TEST(SharedLibraries, ReportsAMissingLibrary) {
  const TempTree tree;
  tree.Write("liba.so", BuildElf({.needed = {"libmissing.so.7"}}));
  const auto found = Find(Program({"liba.so"}), "/bin/p", {tree.path()});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(found.error().message,
              HasSubstr((tree / "liba.so").string() + " needs libmissing.so.7"));
}

TEST(SharedLibraries, RejectsADamagedLibrary) {
  const TempTree tree;
  tree.Write("one/liba.so", BuildElf({}).substr(0, 100));
  tree.Write("two/liba.so", BuildElf({}));
  const auto found = Find(Program({"liba.so"}), "/bin/p", {tree / "one", tree / "two"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kDataLoss);
}

TEST(SharedLibraries, RejectsPaths) {
  const auto found = Find(Program({"/opt/lib/liba.so"}), "/bin/p", {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnimplemented);
}

TEST(SharedLibraries, RejectsARelativeLoader) {
  for (const std::string interpreter : {"ld.so", "/lib/"}) {
    const auto found = Find(BuildElf({.interpreter = interpreter}), "/bin/p", {});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kUnimplemented);
  }
}

TEST(SharedLibraries, NoneForAStaticProgram) {
  const auto found = Find(BuildElf({}), "/bin/p", {}, {"libcurl.so.4"});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->files.empty());
}

TEST(SharedLibraries, MatchTheLoader) {
  const auto program = ReadFile(PosixFileSystem(), "/proc/self/exe", std::uint64_t{1} << 32);
  ASSERT_TRUE(program);
  const Path path = *PosixFileSystem().ReadLink("/proc/self/exe");
  const auto folders =
      FindLibraryFolders(PosixFileSystem(), ReadElf(*program, "this program")->machine);
  ASSERT_TRUE(folders);
  const auto found = Find(*program, path, *folders);
  ASSERT_TRUE(found) << found.error().message;

  std::string listing;
  const auto end = kinetic::Run({.argv = {"ldd", path},
                                 .environment = {{"PATH", "/usr/bin:/bin"}},
                                 .search_path = "/usr/bin:/bin",
                                 .on_stdout = [&](std::string_view bytes) { listing += bytes; }},
                                {});
  ASSERT_TRUE(end && end->Succeeded());
  std::set<std::string> expected;
  for (const std::string_view line : Split(listing, '\n')) {
    const std::string_view name = Trim(Split(line, '(').front());
    if (name.empty() || name.starts_with("linux-vdso")) continue;
    expected.insert(Path(Trim(name.substr(0, name.find("=>")))).filename());
  }
  std::set<std::string> names;
  for (const auto& [name, file] : found->files) names.insert(name);
  EXPECT_EQ(names, expected);
}

TEST(FindLibraryFolders, ConfigurationThenDefaults) {
  const TempTree tree;
  tree.Write("etc/ld.so.conf",
             "# comment\n/first # more\ninclude ld.so.conf.d/*.conf\n/last\n"
             "relative\nhwcap 1 nosegneg\ninclude /etc/absent/*.conf\n");
  tree.Write("etc/ld.so.conf.d/b.conf", "/b\n");
  tree.Write("etc/ld.so.conf.d/a.conf", "\t/a  \n");
  tree.Write("etc/ld.so.conf.d/c.other", "/c\n");
  const auto folders = FindLibraryFolders(PosixFileSystem(), kMachineArm64, tree.path());
  ASSERT_TRUE(folders) << folders.error().message;
  EXPECT_THAT(*folders,
              ElementsAre(tree / "first", tree / "a", tree / "b", tree / "last",
                          tree / "lib/aarch64-linux-gnu", tree / "usr/lib/aarch64-linux-gnu",
                          tree / "lib64", tree / "usr/lib64", tree / "lib", tree / "usr/lib"));
}

TEST(FindLibraryFolders, LimitsRecursiveIncludes) {
  const TempTree tree;
  tree.Write("etc/ld.so.conf", "/once\ninclude ld.so.conf\n");
  const auto folders = FindLibraryFolders(PosixFileSystem(), kMachineAmd64, tree.path());
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->front(), tree / "once");
}

TEST(FindLibraryFolders, DefaultsWithoutConfiguration) {
  const TempTree tree;
  const auto folders = FindLibraryFolders(PosixFileSystem(), kMachineAmd64, tree.path());
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->front(), tree / "lib/x86_64-linux-gnu");
}

}  // namespace
}  // namespace kinetic::oci
