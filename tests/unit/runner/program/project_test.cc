#include "runner/program/install_project.h"
#include "runner/program/read_project.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kDynamic = "[project]\nname = 'own'\ndynamic = ['version']\n";

class ProjectTest : public ::testing::Test {
 protected:
  ProjectTest() {
    tree_.MakeFolder("work");
    tree_.MakeFolder("venv/bin");
    tree_.MakeFolder(site_);
  }

  void WriteProject(const std::string& text) { tree_.Write("work/pyproject.toml", text); }
  /// Returns the note.
  std::string Install(const std::string& folder = "work",
                      const std::map<std::string, std::string>& variables = {}) {
    return InstallProject(PosixFileSystem(), {tree_ / "work", tree_ / folder, tree_ / "venv"},
                          variables);
  }
  std::string Version(const std::map<std::string, std::string>& variables = {}) {
    note_ = Install("work", variables);
    for (const auto& entry : std::filesystem::directory_iterator(tree_ / site_)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".dist-info")) return name.substr(4, name.rfind(".dist-info") - 4);
    }
    return "none";
  }
  bool IsEmpty() const { return std::filesystem::is_empty(tree_ / site_); }

  test::TempTree tree_;
  const std::string site_ = "venv/lib/python3.12/site-packages";
  std::string note_;
};

TEST_F(ProjectTest, InstallsAsPipDoes) {
  WriteProject(
      "[project]\nname = 'My-Own.pkg'\nversion = '1.2'\nrequires-python = '>=3.9'\n"
      "dependencies = ['jax>=0.4; python_version > \"3\"']\n"
      "[project.scripts]\nown-train = 'own.cli:main'\npython = 'own:main'\n'../x' = 'own:main'\n"
      "[project.entry-points.'own.plugins']\na = 'own.plugins:A'\n");
  tree_.MakeFolder("work/src");
  EXPECT_EQ(Install(), "");
  const std::string info = site_ + "/my_own_pkg-1.2.dist-info/";
  EXPECT_EQ(tree_.Read(info + "METADATA"),
            "Metadata-Version: 2.1\nName: My-Own.pkg\nVersion: 1.2\nRequires-Python: >=3.9\n"
            "Requires-Dist: jax>=0.4; python_version > \"3\"\n");
  EXPECT_EQ(tree_.Read(info + "entry_points.txt"),
            "[console_scripts]\n../x = own:main\nown-train = own.cli:main\npython = own:main\n\n"
            "[own.plugins]\na = own.plugins:A\n\n");
  EXPECT_EQ(tree_.Read(info + "INSTALLER"), "kinetic\n");
  EXPECT_EQ(
      tree_.Read(info + "direct_url.json"),
      R"({"dir_info":{"editable":true},"url":"file://)" + (tree_ / "work").native() + R"("})");
  EXPECT_EQ(tree_.Read(site_ + "/__editable__.my_own_pkg-1.2.pth"),
            (tree_ / "work/src").native() + "\n" + (tree_ / "work").native() + "\n");
  EXPECT_THAT(tree_.Read(info + "RECORD"),
              StartsWith("../../../bin/own-train,,\n__editable__.my_own_pkg-1.2.pth,,\n"));
  EXPECT_THAT(tree_.Read("venv/bin/own-train"),
              StartsWith("#!" + (tree_ / "venv/bin/python").native() +
                         "\nimport sys\nfrom own.cli import main\n"));
  EXPECT_FALSE(std::filesystem::exists(tree_ / "venv/bin/python"));
  EXPECT_FALSE(std::filesystem::exists(tree_ / "venv/x"));
}

TEST_F(ProjectTest, ReplacesPackageScriptButNotSharedFile) {
  tree_.Write("shared/bin/tool", "of a package", 0755);
  std::filesystem::create_hard_link(tree_ / "shared/bin/tool", tree_ / "venv/bin/tool");
  WriteProject("[project]\nname = 'own'\nversion = '1'\nscripts = {tool = 'own:main'}\n");
  EXPECT_EQ(Install(), "");
  EXPECT_THAT(tree_.Read("venv/bin/tool"), HasSubstr("from own import main"));
  EXPECT_EQ(tree_.Read("shared/bin/tool"), "of a package");
}

TEST_F(ProjectTest, ReplacesMetadataOfPackageWithSameName) {
  tree_.Write(site_ + "/Own-0.9.dist-info/METADATA", "");
  WriteProject("[project]\nname = 'own'\nversion = '1'\n");
  EXPECT_EQ(Version(), "1");
}

TEST_F(ProjectTest, InstallsProjectNearestToProgram) {
  WriteProject("[project]\nname = 'own'\nversion = '1'\n");
  tree_.Write("work/parts/a/pyproject.toml", "[project]\nname = 'own'\nversion = '2'\n");
  tree_.Write("work/parts/a/b/pyproject.toml", "[tool.black]\nline-length = 100\n");
  EXPECT_EQ(Install("work/parts/a/b"), "");
  EXPECT_EQ(Version(), "1");
  EXPECT_TRUE(std::filesystem::exists(tree_ / (site_ + "/__editable__.own-2.pth")));
}

TEST_F(ProjectTest, IgnoresFolderWithoutProject) {
  EXPECT_EQ(Install(), "");
  for (const char* const text : {"", "[tool.poetry]\nname = 'own'\n", "[project\nname", "\xff"}) {
    WriteProject(text);
    EXPECT_EQ(Install(), "") << text;
  }
  EXPECT_TRUE(IsEmpty());
}

TEST_F(ProjectTest, ReportsInvalidProject) {
  const std::string rest = "version = '1'\n";
  for (const auto& [text, cause] : std::map<std::string, std::string>{
           {"project = 3", "expected a map, found a number"},
           {"[project]\n" + rest, "name: is missing"},
           {"[project]\nname = '../own'\n" + rest, "name: is not a valid package name"},
           {"[project]\nname = 'own'\n", "version: is missing and not in 'dynamic'"},
           {"[project]\nname = 'own'\nversion = '1/2'\n", "version: is not a valid version"},
           {"[project]\nname = 'own'\ndependencies = [1]\n" + rest, "dependencies: expected"},
           {"[project]\nname = 'own'\ndependencies = [\"a\\nName: b\"]\n" + rest,
            "dependencies: expected single-line strings"},
           {"[project]\nname = 'own'\nentry-points = {a = 'b'}\n" + rest,
            "entry-points: expected tables"}}) {
    WriteProject(text);
    EXPECT_THAT(Install(), AllOf(StartsWith("the project is not installed: pyproject.toml: "),
                                 HasSubstr(cause)))
        << text;
  }
  EXPECT_TRUE(IsEmpty());
}

TEST_F(ProjectTest, ReportsMissingEnvironment) {
  WriteProject("[project]\nname = 'own'\nversion = '1'\n");
  std::filesystem::remove_all(tree_ / "venv");
  EXPECT_THAT(Install(), StartsWith("project own is not installed: "));
}

TEST_F(ProjectTest, ReadsDynamicVersionsFromFiles) {
  const std::string dynamic = kDynamic;
  tree_.Write("work/src/own/__init__.py", "import os\n__version__: str = '1.1'  # now\n");
  tree_.Write("work/src/own/about.py", "VERSION = \"v1.2\"\n");
  tree_.Write("work/VERSION", "1.3\n");
  for (const auto& [text, version] : std::map<std::string, std::string>{
           {"[tool.setuptools.dynamic]\nversion = {attr = 'own.__version__'}\n", "1.1"},
           {"[tool.setuptools.dynamic]\nversion = {attr = 'own.about.VERSION'}\n", "1.2"},
           {"[tool.setuptools.dynamic]\nversion = {file = ['VERSION']}\n", "1.3"},
           {"[tool.hatch.version]\npath = 'src/own/about.py'\n", "1.2"},
           {"[tool.pdm.version]\nsource = 'file'\npath = 'src/own/__init__.py'\n", "1.1"},
           {"[build-system]\nbuild-backend = 'flit_core.buildapi'\n", "1.1"},
           {"[tool.poetry]\nversion = '1.4'\n", "1.4"}}) {
    WriteProject(dynamic + text);
    EXPECT_EQ(Version(), version) << text;
    EXPECT_EQ(note_, "");
  }
}

TEST_F(ProjectTest, ReportsUnknownVersion) {
  for (const char* const text :
       {"[tool.setuptools_scm]\n", "[tool.hatch.version]\nsource = 'vcs'\n",
        "[tool.setuptools.dynamic]\nversion = {attr = 'own.missing'}\n"}) {
    WriteProject(std::string(kDynamic) + text);
    EXPECT_EQ(Version(), "0.0.0+unknown") << text;
    EXPECT_THAT(note_, StartsWith("the version of project own is 0.0.0+unknown"));
  }
  EXPECT_EQ(Version({{"SETUPTOOLS_SCM_PRETEND_VERSION", "3.1"}}), "3.1");
  EXPECT_EQ(note_, "");
}

TEST_F(ProjectTest, FindsModulesLikeBuildBackends) {
  tree_.MakeFolder("work/lib/python");
  for (const char* const text :
       {"[tool.setuptools.packages.find]\nwhere = ['lib/python/']\n",
        "[tool.setuptools.package-dir]\n'' = 'lib/python'\n",
        "[tool.hatch.build.targets.wheel]\npackages = ['lib/python/own']\n"}) {
    WriteProject("[project]\nname = 'own'\nversion = '1'\n" + std::string(text));
    EXPECT_EQ(Install(), "");
    EXPECT_EQ(tree_.Read(site_ + "/__editable__.own-1.pth"),
              (tree_ / "work/lib/python").native() + "\n" + (tree_ / "work").native() + "\n");
  }
}

}  // namespace
}  // namespace kinetic::runner
