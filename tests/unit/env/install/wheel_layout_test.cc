#include "env/install/wheel_layout.h"

#include "env/install/package.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const WheelLayout kLayout{"3.12", "/kinetic/env"};
const std::string kSite = "out/lib/python3.12/site-packages/";

/// Writes the files of a wheel as installed for Python 3.11.
void WriteInstalled(const test::TempTree& tree) {
  const std::string site = "in/lib/python3.11/site-packages/";
  tree.Write(site + "six.py", "", 0600);
  tree.Write(site + "tool.sh", "#!/bin/sh\n", 0700);
  tree.Write(site + "__pycache__/six.cpython-311.pyc", "x");
  tree.Write(site + "six-1.dist-info/WHEEL", "");
  tree.Write(site + "six-1.dist-info/RECORD", "x");
  tree.Write(site + "six-1.dist-info/INSTALLER", "uv");
  tree.Write(site + "six-1.dist-info/direct_url.json", "{}");
  tree.Write(site + "six-1.dist-info/licenses/RECORD", "a licence of that name");
  tree.Write(site + "six-1.dist-info/entry_points.txt", "[console_scripts]\nsix = six:main\n");
  tree.Write("in/bin/six", "#!/usr/bin/python3\nas an installer wrote it\n");
  tree.Write("in/bin/run", "#!/usr/bin/python3.11\nimport six\n");
  tree.Write("in/share/six.txt", "data");
  tree.Write("in/include/site/python3.11/six/six.h", "");
  tree.Write("in/.lock", "");
}

std::vector<std::string> FilesIn(const Path& root) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(root).native());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(NormalizeWheelLayout, CreatesFilesOfEnvironment) {
  const test::TempTree tree;
  WriteInstalled(tree);
  const auto laid = NormalizeWheelLayout(PosixFileSystem(), tree / "in", tree / "out", kLayout);
  ASSERT_TRUE(laid) << laid.error().message;
  EXPECT_THAT(FilesIn(tree / "out"),
              ElementsAre("bin/run", "bin/six", "include/site/python3.12/six/six.h",
                          "lib/python3.12/site-packages/six-1.dist-info/RECORD",
                          "lib/python3.12/site-packages/six-1.dist-info/WHEEL",
                          "lib/python3.12/site-packages/six-1.dist-info/entry_points.txt",
                          "lib/python3.12/site-packages/six-1.dist-info/licenses/RECORD",
                          "lib/python3.12/site-packages/six.py",
                          "lib/python3.12/site-packages/tool.sh", "share/six.txt"));
  EXPECT_EQ(tree.Read("out/bin/run"), "#!/kinetic/env/bin/python\nimport six\n");
  EXPECT_EQ(tree.Read("out/bin/six"),
            "#!/kinetic/env/bin/python\nimport sys\nfrom six import main\n"
            "if __name__ == \"__main__\":\n    sys.exit(main())\n");
}

TEST(NormalizeWheelLayout, SetsModes) {
  const test::TempTree tree;
  WriteInstalled(tree);
  const mode_t before = ::umask(077);
  const auto laid = NormalizeWheelLayout(PosixFileSystem(), tree / "in", tree / "out", kLayout);
  ::umask(before);
  ASSERT_TRUE(laid) << laid.error().message;
  const auto mode = [&](const std::string& name) {
    return PosixFileSystem().Lstat(tree / name)->mode;
  };
  EXPECT_EQ(mode(kSite + "six.py"), 0644U);
  EXPECT_EQ(mode(kSite + "tool.sh"), 0755U);
  EXPECT_EQ(mode("out/bin/run"), 0755U);
  EXPECT_EQ(mode("out/bin/six"), 0755U);
  EXPECT_EQ(mode("out/lib/python3.12"), 0755U);
  EXPECT_EQ(mode(kSite + "six-1.dist-info/RECORD"), 0644U);
}

TEST(NormalizeWheelLayout, RecordsEveryFile) {
  const test::TempTree tree;
  WriteInstalled(tree);
  tree.Write("in/share/a,b.txt", "data");
  ASSERT_TRUE(NormalizeWheelLayout(PosixFileSystem(), tree / "in", tree / "out", kLayout));
  const std::string record = tree.Read(kSite + "six-1.dist-info/RECORD");
  EXPECT_EQ(std::count(record.begin(), record.end(), '\n'), 11);
  // The digests of "" and "data".
  EXPECT_THAT(record, HasSubstr("\nsix.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"));
  EXPECT_THAT(record, HasSubstr("\"../../../share/a,b.txt\",sha256="
                                "Om6weQ85rIfJTzhWst0sXREOaBFgImGpqSPTuyOtyLc,4\n"));
  EXPECT_THAT(record, HasSubstr("\nsix-1.dist-info/RECORD,,\n"));
}

TEST(NormalizeWheelLayout, RejectsMissingMetadataAndDuplicatePaths) {
  const test::TempTree tree;
  tree.Write("in/lib/python3.11/site-packages/six.py", "");
  EXPECT_THAT(
      NormalizeWheelLayout(PosixFileSystem(), tree / "in", tree / "out", kLayout).error().message,
      HasSubstr("no wheel metadata"));
  tree.Write("twice/lib/python3.11/site-packages/six.py", "");
  tree.Write("twice/lib64/python3.11/site-packages/six.py", "");
  EXPECT_THAT(NormalizeWheelLayout(PosixFileSystem(), tree / "twice", tree / "out", kLayout)
                  .error()
                  .message,
              HasSubstr("two files for one path: lib/python3.12/site-packages/six.py"));
  tree.MakeLink("link/six.py", "/etc/passwd");
  EXPECT_THAT(
      NormalizeWheelLayout(PosixFileSystem(), tree / "link", tree / "out", kLayout).error().message,
      HasSubstr("not a file or folder: six.py"));
}

TEST(NormalizeWheelLayout, ReportsFullDisk) {
  for (std::uint64_t fail_at = 0;; ++fail_at) {
    const test::TempTree tree;
    WriteInstalled(tree);
    test::FaultyFileSystem faulty([&](std::uint64_t index, std::string_view, const Path&) {
      return index == fail_at ? std::optional<int>(ENOSPC) : std::nullopt;
    });
    const auto laid = NormalizeWheelLayout(faulty, tree / "in", tree / "out", kLayout);
    if (faulty.count() <= fail_at) {
      EXPECT_TRUE(laid);
      EXPECT_GT(fail_at, 20U);
      break;
    }
    ASSERT_FALSE(laid) << fail_at;
    EXPECT_EQ(laid.error().code, ErrorCode::kResourceExhausted) << laid.error().message;
  }
}

TEST(InstallPackage, RejectsPrefixesInvalidInShebang) {
  const test::TempTree tree;
  PackageInstaller installer;
  installer.tools.cache_dir = tree / "cache";
  Lock lock;
  lock.python = "3.12";
  lock.platform = "linux-x86_64";
  const auto code = [&](const std::string& prefix) {
    return InstallPackage(installer, lock, {"six", "1", "", {}}, {tree / "out", prefix}, nullptr,
                          {})
        .error()
        .code;
  };
  for (const std::string& prefix : {std::string("relative"), std::string("/a b"), std::string(""),
                                    "/" + std::string(100, 'a')}) {
    EXPECT_EQ(code(prefix), ErrorCode::kInvalidArgument) << prefix;
  }
  lock.platform = "darwin-arm64";
  EXPECT_EQ(code("/kinetic/env"), ErrorCode::kUnimplemented);
  EXPECT_TRUE(FilesIn(tree / "cache").empty());
}

}  // namespace
}  // namespace kinetic::env
