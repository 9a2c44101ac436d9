#include "env/python/interpreter.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PythonTest : public ::testing::Test {
 protected:
  PythonTest() {
    tools_.cache_dir = tree_ / "cache";
    tools_.search_path = (tree_ / "one").native() + ":" + (tree_ / "two").native();
    tools_.environment = {{"HOME", (tree_ / "home").native()}, {"PATH", "/usr/bin:/bin"}};
  }

  /// Writes a program that responds like Python and records each run in the file `asked`.
  Path Fake(const std::string& name, const std::string& version,
            const std::string& kind = "cpython") {
    return tree_.Write(name,
                       "#!/bin/sh\necho x >> " + (tree_ / "asked").native() + "\necho " + version +
                           " " + kind + "\n",
                       0755);
  }

  std::string Found(std::string_view version) {
    const auto found = FindPython(version, tools_, {});
    return found ? found->path.lexically_relative(tree_.path()).native() + " " + found->version
                 : found.error().message;
  }

  test::TempTree tree_;
  ToolOptions tools_;
};

TEST_F(PythonTest, FindsPython3OnSearchPath) {
  EXPECT_EQ(Found(""), "no python3 on PATH; no Python 3 is installed");
  Fake("two/python3", "3.11.2");
  EXPECT_EQ(Found(""), "two/python3 3.11.2");
  Fake("one/python", "3.12.1");
  EXPECT_EQ(Found(""), "one/python 3.12.1");
}

TEST_F(PythonTest, PrefersPython3OfTheCallerIfItsVersionFits) {
  Fake("one/python3", "3.11.7");
  Fake("two/python3.11", "3.11.2");
  Fake("two/python3.12", "3.12.1");
  EXPECT_EQ(Found("3.11"), "one/python3 3.11.7");
  EXPECT_EQ(Found("3.12"), "two/python3.12 3.12.1");
}

TEST_F(PythonTest, PassesOverPythonsThatAreTooOldForJobs) {
  Fake("one/python3", "3.6.15");
  EXPECT_EQ(Found(""), "the Python on PATH is too old: " + (tree_ / "one/python3").native() +
                           " is Python 3.6.15, expected 3.9 or newer");
  EXPECT_THAT(FindPython("", tools_, {}).error().hint, HasSubstr("uv python install"));
  EXPECT_THAT(Found("3.6"), HasSubstr("Python 3.6 is not installed"));
  Fake("two/python3", "3.10.1");
  EXPECT_EQ(Found(""), "two/python3 3.10.1");
}

TEST_F(PythonTest, FindsAnyPython) {
  EXPECT_EQ(FindAnyPython(tools_, {}).error().code, ErrorCode::kNotFound);
  tree_.Write("home/.pyenv/versions/3.10.13/bin/python3.10", "", 0755);
  tree_.Write("home/.pyenv/versions/3.9.2/bin/python3.9", "", 0755);
  EXPECT_EQ(FindAnyPython(tools_, {})->version, "3.10.13");
  Fake("two/python3", "3.9.9");
  EXPECT_EQ(FindAnyPython(tools_, {})->version, "3.9.9");
}

TEST_F(PythonTest, FindsByVersion) {
  Fake("one/python3", "3.11.2");
  Fake("two/python3.12", "3.12.7");
  EXPECT_EQ(Found("3.12"), "two/python3.12 3.12.7");
  EXPECT_EQ(Found("3.12.7"), "two/python3.12 3.12.7");
  EXPECT_EQ(Found("3.11"), "one/python3 3.11.2");
  EXPECT_EQ(Found("3.1"), "Python 3.1 is not installed; installed: 3.12.7, 3.11.2");
  EXPECT_EQ(Found("3.12.8"), "Python 3.12.8 is not installed; installed: 3.12.7, 3.11.2");
}

TEST_F(PythonTest, SearchesPyenvAndUvVersions) {
  tree_.Write("home/.pyenv/versions/3.10.13/bin/python3.10", "", 0755);
  tree_.Write("home/.pyenv/versions/3.10.4/bin/python3.10", "", 0755);
  tree_.Write("home/.pyenv/versions/pypy3.9-7.3/bin/python3.9", "", 0755);
  tree_.Write("home/.local/share/uv/python/cpython-3.13.1-linux-x86_64-gnu/bin/python3.13", "",
              0755);
  EXPECT_THAT(Found("3.10"), HasSubstr("versions/3.10.13/bin/python3.10 3.10.13"));
  EXPECT_THAT(Found("3.10.4"), HasSubstr("versions/3.10.4/bin/python3.10 3.10.4"));
  EXPECT_THAT(Found("3.13"), HasSubstr("bin/python3.13 3.13.1"));
  EXPECT_THAT(Found("3.9"), HasSubstr("installed: 3.13.1, 3.10.13, 3.10.4"));
}

TEST_F(PythonTest, ResolvesPyenvShims) {
  Fake("pyenv/versions/3.12.1/bin/python3", "3.12.1");
  tree_.Write("pyenv/version", "3.12.1\n");
  tree_.Write("pyenv/shims/python3", "#!/bin/sh\nexit 1\n", 0755);
  tools_.search_path = (tree_ / "pyenv/shims").native();
  EXPECT_EQ(Found(""), "pyenv/versions/3.12.1/bin/python3 3.12.1");
}

TEST_F(PythonTest, SkipsOtherPrograms) {
  Fake("one/python3", "3.11.2", "pypy");
  tree_.Write("two/python3", "#!/bin/sh\nexit 3\n", 0755);
  EXPECT_THAT(Found(""), HasSubstr("no Python 3 is installed"));
}

TEST_F(PythonTest, ResolvesVirtualEnvironments) {
  Fake("base/python3.12", "3.12.1");
  tree_.MakeFolder("venv/bin");
  tree_.Write("venv/pyvenv.cfg", "home = x\n");
  tree_.MakeLink("venv/bin/python3", (tree_ / "base/python3.12").native());
  tools_.search_path = (tree_ / "venv/bin").native();
  EXPECT_EQ(Found(""), "base/python3.12 3.12.1");
}

TEST_F(PythonTest, RunsEachExecutableOnce) {
  const Path python = Fake("one/python3", "3.11.2");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Found(""), "one/python3 3.11.2");
  EXPECT_EQ(tree_.Read("asked"), "x\n");
  Fake("one/python3", "3.11.10");
  EXPECT_EQ(Found(""), "one/python3 3.11.10");
  EXPECT_EQ(tree_.Read("asked"), "x\nx\n");
}

TEST_F(PythonTest, IgnoresInvalidCache) {
  Fake("one/python3", "3.11.2");
  for (const std::string_view text : {"", "[]", "{\"x\":1}", "{"}) {
    tree_.Write("cache/pythons.json", text);
    EXPECT_EQ(Found(""), "one/python3 3.11.2");
  }
}

TEST_F(PythonTest, ErrorHasHint) {
  EXPECT_THAT(FindPython("3.12", tools_, {}).error().hint, HasSubstr("pyenv, uv or"));
  tree_.Write("one/uv", "", 0755);
  EXPECT_THAT(FindPython("3.12", tools_, {}).error().hint, HasSubstr("uv python install 3.12"));
}

TEST(Interpreter, HasAMinorVersion) {
  EXPECT_EQ((Interpreter{"/p", "3.12.4"}).Minor(), "3.12");
  EXPECT_THAT(HostPlatform(), HasSubstr("linux-"));
}

}  // namespace
}  // namespace kinetic::env
