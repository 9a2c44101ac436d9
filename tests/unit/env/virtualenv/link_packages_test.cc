#include "env/virtualenv/link_packages.h"

#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;

class LinkPackagesTest : public ::testing::Test {
 protected:
  LinkPackagesTest() { tree_.MakeFolder("env"); }

  /// Adds a package to the package set `set`. Files are relative to site-packages.
  void Package(const std::string& set, const std::string& name, std::vector<std::string> files,
               const std::string& tags = "Tag: py2-none-any\nTag: py3-none-any\n") {
    const std::string info = name + "-1.dist-info";
    tree_.Write(set + "/" + kPackages + "/" + info + "/WHEEL", "Wheel-Version: 1.0\n" + tags);
    files.push_back(info + "/RECORD");
    std::string record;
    for (const auto& file : files) record += file + ",,\n";
    for (const auto& file : files) {
      const Path path = (Path(set) / kPackages / file).lexically_normal();
      tree_.Write(path.native(), file == files.back() ? record : "of " + name);
    }
  }

  Status Link(std::vector<SetPackages> packages) {
    for (auto& each : packages) each.set = tree_.path() / each.set;
    return LinkPackages(fs_, packages, "3.12", tree_ / "env");
  }

  /// Returns the names in a folder of the environment's site-packages. Links have a mark.
  std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    const auto entries = fs_.ReadDirectory(tree_ / "env" / kPackages / folder);
    for (const auto& entry : *entries) {
      names.push_back(entry.name + (entry.type == FileType::kSymlink ? "@" : ""));
    }
    std::ranges::sort(names);
    return names;
  }

  static constexpr const char* kPackages = "lib/python3.12/site-packages";
  FileSystem& fs_ = PosixFileSystem();
  test::TempTree tree_;
};

TEST_F(LinkPackagesTest, LinksFoldersAndFiles) {
  Package("set", "one", {"one/deep/a.py", "single.py", "../../../bin/tool", "../../../share/x/y"});
  tree_.Write("set/kinetic.json", "");
  ASSERT_TRUE(fs_.MakeSymlink("lib", tree_ / "set/lib64"));
  ASSERT_TRUE(fs_.MakeSymlink("single.py", tree_ / "set" / kPackages / "symlink.py"));
  ASSERT_TRUE(Link({{"set", {"one"}}}));
  EXPECT_THAT(Names(""), ElementsAre("one-1.dist-info@", "one@", "single.py", "symlink.py@"));
  EXPECT_EQ(tree_.Read("env/bin/tool"), "of one");
  EXPECT_EQ(fs_.Lstat(tree_ / "env/share/x")->type, FileType::kDirectory) << "jobs may add files";
  EXPECT_EQ(fs_.Lstat(tree_ / "env" / kPackages / "single.py")->inode,
            fs_.Lstat(tree_ / "set" / kPackages / "single.py")->inode);
  EXPECT_FALSE(fs_.Lstat(tree_ / "env/kinetic.json"));
  EXPECT_FALSE(fs_.Lstat(tree_ / "env/lib64"));
}

TEST_F(LinkPackagesTest, PackagesForOnePlatformGetRealFolders) {
  Package("a", "native", {"native/lib/x.so", "space/x.so"},
          "Tag: py3-none-any\nTag: cp312-cp312-manylinux_2_27_x86_64\n");
  Package("a", "pure", {"pure/a.py", "space/pure/a.py"});
  Package("b", "untagged", {"untagged/a.py"}, "");
  ASSERT_TRUE(Link({{"a", {"native", "pure"}}, {"b", {"untagged"}}}));
  EXPECT_THAT(Names(""), ElementsAre("native", "native-1.dist-info", "pure-1.dist-info@", "pure@",
                                     "space", "untagged", "untagged-1.dist-info"));
  EXPECT_THAT(Names("space"), ElementsAre("pure@", "x.so"));
  EXPECT_EQ(fs_.Lstat(tree_ / "env" / kPackages / "native/lib/x.so")->inode,
            fs_.Lstat(tree_ / "a" / kPackages / "native/lib/x.so")->inode);
  EXPECT_EQ(tree_.Read("env/" + std::string(kPackages) + "/native/lib/../../untagged/a.py"),
            "of untagged")
      << "as RPATH $ORIGIN/../../untagged";
}

TEST_F(LinkPackagesTest, LinksFoldersOfHeaders) {
  Package("set", "native",
          {"native/include/deep/a.h", "native/x.so", "other/include/a.h", "other/include/b.so.1",
           "python/include/a.h", "python/include/b.py"},
          "Tag: py3-none-linux_x86_64\n");
  ASSERT_TRUE(Link({{"set", {"native"}}}));
  EXPECT_THAT(Names("native"), ElementsAre("include@", "x.so"));
  EXPECT_THAT(Names("other"), ElementsAre("include"));
  EXPECT_THAT(Names("python"), ElementsAre("include"));
}

TEST_F(LinkPackagesTest, CopiesFilesIfHardLinksFail) {
  Package("set", "one", {"one.py"});
  test::FaultyFileSystem fs([](std::uint64_t, std::string_view operation, const Path&) {
    return operation == "creating" ? std::optional(EMLINK) : std::nullopt;
  });
  const std::vector<SetPackages> packages{{tree_ / "set", {"one"}}};
  ASSERT_TRUE(LinkPackages(fs, packages, "3.12", tree_ / "env"));
  const auto copy = fs.Lstat(tree_ / "env" / kPackages / "one.py");
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->type, FileType::kRegular);
  EXPECT_EQ(copy->links, 1U);
  EXPECT_EQ(tree_.Read("env/" + std::string(kPackages) + "/one.py"), "of one");
}

TEST_F(LinkPackagesTest, LeavesOutOtherPackagesOfSet) {
  Package("set", "one", {"space/one/a.py", "one.py"});
  Package("set", "Other_Name", {"space/other/b.py", "other.py", "../../../bin/other"});
  ASSERT_TRUE(Link({{"set", {"one"}}}));
  EXPECT_THAT(Names(""), ElementsAre("one-1.dist-info@", "one.py", "space"));
  EXPECT_THAT(Names("space"), ElementsAre("one@"));
  EXPECT_FALSE(fs_.Lstat(tree_ / "env/bin/other"));
}

TEST_F(LinkPackagesTest, LinksAllPackagesByNormalizedName) {
  Package("set", "Other_Name", {"other/b.py"});
  ASSERT_TRUE(Link({{"set", {"other-name"}}}));
  EXPECT_THAT(Names(""), ElementsAre("Other_Name-1.dist-info@", "other@"));
}

TEST_F(LinkPackagesTest, MergesFolderOfSeveralSets) {
  Package("a", "one", {"space/one/a.py"});
  Package("b", "two", {"space/two/b.py"});
  ASSERT_TRUE(Link({{"a", {"one"}}, {"b", {"two"}}}));
  EXPECT_THAT(Names("space"), ElementsAre("one@", "two@"));
}

TEST_F(LinkPackagesTest, ReplacesPackageByTheOneOfAnotherSet) {
  Package("old", "one", {"one/a.py", "one/old.py"});
  Package("old", "two", {"two/b.py"});
  tree_.MakeFolder("old/" + std::string(kPackages) + "/one/__pycache__");
  Package("new", "one", {"one/a.py"});
  ASSERT_TRUE(Link({{"old", {"two"}}, {"new", {"one"}}}));
  EXPECT_THAT(Names(""), ElementsAre("one-1.dist-info@", "one@", "two-1.dist-info@", "two@"));
  EXPECT_FALSE(fs_.Lstat(tree_ / "env" / kPackages / "one/old.py"));
}

TEST_F(LinkPackagesTest, LeavesOutUnlistedFilesOfOtherPackages) {
  Package("old", "one", {"one/a.py"});
  Package("old", "two", {"two/b.py"});
  tree_.Write("old/" + std::string(kPackages) + "/one/_tables.bin", "");
  tree_.Write("old/" + std::string(kPackages) + "/one/data/unlisted", "");
  Package("new", "one", {"one/a.py"});
  ASSERT_TRUE(Link({{"old", {"two"}}, {"new", {"one"}}}));
  EXPECT_THAT(Names(""), ElementsAre("one-1.dist-info@", "one@", "two-1.dist-info@", "two@"));
  EXPECT_THAT(Names("one"), ElementsAre("a.py"));
}

TEST_F(LinkPackagesTest, RemovedPackageLeavesNoFolder) {
  Package("set", "one", {"one/deep/a.py"});
  Package("set", "two", {"two/b.py"});
  ASSERT_TRUE(Link({{"set", {"two"}}}));
  EXPECT_THAT(Names(""), ElementsAre("two-1.dist-info@", "two@"));
}

}  // namespace
}  // namespace kinetic::env
