#include "runner/program/virtual_environment.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class VirtualEnvironmentTest : public ::testing::Test {
 protected:
  /// Creates a program that prints a text.
  void WriteProgram(const std::string& name, const std::string& text) {
    tree_.Write("image/" + name, "#!/bin/sh\nprintf '" + text + "'\n", 0755);
  }
  Status Make() {
    return MakeVirtualEnvironment(
        PosixFileSystem(), environment_,
        {environment_.python, (tree_ / "image").native(), {}, "team/image:1"}, {});
  }
  std::string LinkOf(const std::string& name) {
    return std::filesystem::read_symlink(environment_.root / "bin" / name).native();
  }

  test::TempTree tree_;
  PackageEnvironment environment_{tree_ / "environment", "3.12"};
};

TEST_F(VirtualEnvironmentTest, CreatesLinksAndConfigurationRepeatedly) {
  WriteProgram("python3", "3.12\\n3.12.7\\nglibc 2.36\\n/opt/base/bin/python3.12\\n");
  tree_.Write("environment/bin/python3", "of a package");
  for (int twice = 0; twice < 2; ++twice) {
    const auto made = Make();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(LinkOf("python"), "/opt/base/bin/python3.12");
    EXPECT_EQ(LinkOf("python3"), "python");
    EXPECT_EQ(LinkOf("python3.12"), "python");
    EXPECT_EQ(tree_.Read("environment/pyvenv.cfg"),
              "home = /opt/base/bin\n"
              "include-system-site-packages = false\n"
              "version = 3.12.7\n"
              "executable = /opt/base/bin/python3.12\n");
  }
}

TEST_F(VirtualEnvironmentTest, PrefersRequestedVersion) {
  WriteProgram("python3", "3.13\\n3.13.1\\nglibc 2.36\\n/usr/bin/python3.13\\n");
  WriteProgram("python3.12", "3.12\\n3.12.7\\nglibc 2.36\\n/usr/bin/python3.12\\n");
  ASSERT_TRUE(Make());
  EXPECT_EQ(LinkOf("python"), "/usr/bin/python3.12");
}

TEST_F(VirtualEnvironmentTest, DoesNotSuggestUnsupportedVersion) {
  WriteProgram("python", "2.7\\n2.7.18\\nglibc 2.36\\n/usr/bin/python2.7\\n");
  const auto made = Make();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(made.error().message, "the image team/image:1 has Python 2.7 (" +
                                      (tree_ / "image/python").native() +
                                      "), but the job's packages need Python 3.12");
  EXPECT_EQ(made.error().hint,
            "set an image with Python 3.12 in the profile, such as python:3.12-slim");
}

TEST_F(VirtualEnvironmentTest, ReportsWhyPythonCannotBeRun) {
  tree_.Write("image/python3", "#!/bin/sh\necho no library >&2; exit 127\n", 0755);
  const auto made = Make();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message,
              HasSubstr("python3 of the image team/image:1 cannot be run: no library"));
  EXPECT_THAT(made.error().hint, HasSubstr("python:3.12-slim"));
}

TEST_F(VirtualEnvironmentTest, RejectsGlibcPackagesWithoutGlibc) {
  WriteProgram("python3", "3.12\\n3.12.7\\n\\n/usr/bin/python3.12\\n");
  const std::string packages = "environment/lib/python3.12/site-packages/";
  tree_.Write(packages + "pure-1.dist-info/WHEEL", "Tag: py3-none-any\n");
  tree_.Write(packages + "musl-1.dist-info/WHEEL", "Tag: cp312-cp312-musllinux_1_2_x86_64\n");
  EXPECT_TRUE(Make());
  tree_.Write(packages + "zed-1.dist-info/WHEEL", "Tag: cp312-cp312-linux_x86_64\n");
  tree_.Write(packages + "fast-1.dist-info/WHEEL", "Tag: cp312-abi3-manylinux_2_17_x86_64\n");
  const auto made = Make();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(made.error().message, HasSubstr("but fast-1 needs glibc"));
}

TEST_F(VirtualEnvironmentTest, RejectsPackagesForNewerGlibc) {
  WriteProgram("python3", "3.12\\n3.12.7\\nglibc 2.28\\n/usr/bin/python3.12\\n");
  const std::string packages = "environment/lib/python3.12/site-packages/";
  tree_.Write(packages + "many-1.dist-info/WHEEL",
              "Tag: cp312-cp312-manylinux_2_31_x86_64\nTag: cp312-cp312-manylinux2014_x86_64\n");
  tree_.Write(packages + "both-1.dist-info/WHEEL",
              "Tag: cp312-cp312-manylinux_2_31_x86_64.manylinux_2_28_x86_64\n");
  tree_.Write(packages + "any-1.dist-info/WHEEL", "Tag: cp312-cp312-linux_x86_64\n");
  const auto fits = Make();
  ASSERT_TRUE(fits) << fits.error().message;
  tree_.Write(packages + "libtpu-1.dist-info/WHEEL",
              "Wheel-Version: 1.0\nTag: py3-none-manylinux_2_31_x86_64\n");
  const auto made = Make();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(made.error().message, HasSubstr("has glibc 2.28, but libtpu-1 needs glibc 2.31"));
}

TEST_F(VirtualEnvironmentTest, DropsVariablesThatRedirectInstallers) {
  std::map<std::string, std::string> variables{
      {"PYTHONHOME", "/x"}, {"UV_SYSTEM_PYTHON", "1"}, {"PIP_TARGET", "/x"}, {"PIP_NO_INPUT", "1"}};
  DropRedirections({{"PIP_TARGET", "/x"}}, variables);
  EXPECT_THAT(variables, ElementsAre(Pair("PIP_NO_INPUT", "1"), Pair("PIP_TARGET", "/x")));
}

TEST_F(VirtualEnvironmentTest, HasPip) {
  WriteProgram("python3", "3.12\\n3.12.7\\nglibc 2.36\\n/usr/bin/python3.12\\n");
  ASSERT_TRUE(Make());
  EXPECT_THAT(tree_.Read("environment/bin/pip"), HasSubstr("python\" -m pip"));
  EXPECT_THAT(tree_.Read("environment/lib/python3.12/site-packages/pip.py"),
              HasSubstr("ensurepip"));
}

TEST_F(VirtualEnvironmentTest, ActivateKeepsPathOfTheJobFile) {
  const PackageEnvironment environment{"/opt/kinetic/environment", "3.12"};
  std::map<std::string, std::string> variables{{"PATH", "/usr/bin"}};
  Activate(environment, true, variables);
  EXPECT_THAT(variables, ElementsAre(Pair("PATH", "/usr/bin"),
                                     Pair("VIRTUAL_ENV", "/opt/kinetic/environment")));
  Activate(environment, false, variables);
  EXPECT_EQ(variables["PATH"], "/opt/kinetic/environment/bin:/usr/bin");
  variables.clear();
  Activate(environment, false, variables);
  EXPECT_EQ(variables["PATH"], "/opt/kinetic/environment/bin");
}

}  // namespace
}  // namespace kinetic::runner
