#include "runner/program/layered_environment.h"

#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class LayeredEnvironmentTest : public ::testing::Test {
 protected:
  LayeredEnvironmentTest() {
    tree_.Write("shared/pyvenv.cfg", "home = /usr/bin\n");
    tree_.MakeFolder("shared/bin");
    tree_.MakeLink("shared/bin/python", "/usr/bin/python3.12");
    tree_.Write("shared/bin/tool", "#!/old/bin/python3\nimport tool\n", 0755);
    tree_.Write("shared/bin/program",
                "\x7f"
                "ELF",
                0755);
    tree_.Write("shared/share/doc/tool.txt", "text");
    tree_.Write("shared/lib/python3.12/site-packages/tool.py", "");
  }

  void Make() {
    const auto made = LayerVirtualEnvironment(PosixFileSystem(), tree_ / "shared", tree_ / "own");
    ASSERT_TRUE(made) << made.error().message;
  }
  std::string LinkOf(const std::string& name) const {
    return std::filesystem::read_symlink(tree_ / ("own/" + name)).native();
  }
  bool Exists(const std::string& name) const {
    return PosixFileSystem().Lstat(tree_ / ("own/" + name)).has_value();
  }

  test::TempTree tree_;
  const std::string packages_ = "own/lib/python3.12/site-packages/";
};

TEST_F(LayeredEnvironmentTest, HasOwnScriptsAndPackages) {
  Make();
  EXPECT_EQ(tree_.Read("own/bin/tool"),
            "#!" + (tree_ / "own/bin/python").native() + "\nimport tool\n");
  EXPECT_EQ(LinkOf("bin/python"), "/usr/bin/python3.12");
  for (const std::string& name : {std::string("bin/program"), std::string("share/doc/tool.txt")}) {
    EXPECT_EQ(PosixFileSystem().Lstat(tree_ / ("own/" + name))->inode,
              PosixFileSystem().Lstat(tree_ / ("shared/" + name))->inode);
  }
  EXPECT_FALSE(std::filesystem::is_symlink(tree_ / "own/pyvenv.cfg"));
  EXPECT_FALSE(Exists("lib/python3.12/site-packages/tool.py"));
  EXPECT_THAT(tree_.Read(packages_ + "_kinetic.pth"), HasSubstr("shared/lib/python3.12"));
  EXPECT_THAT(tree_.Read("own/bin/pip"), HasSubstr("-m pip"));
}

TEST_F(LayeredEnvironmentTest, UsesSymlinksOnAnotherFileSystem) {
  test::FaultyFileSystem other([](std::uint64_t, std::string_view operation, const Path&) {
    return operation == "creating" ? std::optional<int>(EXDEV) : std::nullopt;
  });
  ASSERT_TRUE(LayerVirtualEnvironment(other, tree_ / "shared", tree_ / "own"));
  EXPECT_EQ(LinkOf("bin/program"), (tree_ / "shared/bin/program").native());
  EXPECT_EQ(LinkOf("share/doc/tool.txt"), (tree_ / "shared/share/doc/tool.txt").native());
}

TEST_F(LayeredEnvironmentTest, ReplacesEarlierEnvironment) {
  Make();
  tree_.Write(packages_ + "toml.py", "");
  Make();
  EXPECT_FALSE(Exists("lib/python3.12/site-packages/toml.py"));
}

TEST_F(LayeredEnvironmentTest, UsesPipFromPackages) {
  tree_.Write("shared/lib/python3.12/site-packages/pip/__init__.py", "");
  tree_.Write("shared/bin/pip", "#!python\nfrom pip import main\n", 0755);
  Make();
  EXPECT_FALSE(Exists("lib/python3.12/site-packages/pip.py"));
  EXPECT_THAT(tree_.Read("own/bin/pip"), HasSubstr("from pip import main"));
}

TEST_F(LayeredEnvironmentTest, QuotesUnusualPaths) {
  const std::string odd = "it's\n\\x \xc3\xa9";
  std::filesystem::rename(tree_ / "shared", tree_ / odd);
  ASSERT_TRUE(LayerVirtualEnvironment(PosixFileSystem(), tree_ / odd, tree_ / "own"));
  const std::string line = tree_.Read(packages_ + "_kinetic.pth");
  EXPECT_THAT(line, StartsWith("import "));
  EXPECT_THAT(line, HasSubstr("it\\x27s\\x0a\\x5cx\\x20\\xc3\\xa9/lib"));
}

}  // namespace
}  // namespace kinetic::runner
