#include "runner/program/python.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::runner {
namespace {

class ProgramPythonTest : public ::testing::Test {
 protected:
  ProgramPythonTest() {
    for (const char* const name :
         {"image/python3", "image/python", "image/python3.12", "image/pythonic", "work/own/python3",
          "environment/bin/python"}) {
      tree_.Write(name, "", 0755);
    }
  }
  /// Returns the path relative to the test's folder, or an empty string.
  std::string Of(std::vector<std::string> argv, bool with_packages = false) {
    const Program program{.argv = std::move(argv),
                          .environment = {{"PATH", (tree_ / "image").native()}},
                          .working_directory = tree_ / "work"};
    const auto python = FindProgramPython(program, with_packages ? tree_ / "environment" : Path());
    return python ? python->lexically_relative(tree_.path()).native() : "";
  }

  test::TempTree tree_;
};

TEST_F(ProgramPythonTest, FunctionUsesItsInterpreter) {
  const Program program{
      .argv = {"/chosen/python3.11", "-u"}, .exchange = "/exchange", .calls_python = true};
  EXPECT_EQ(FindProgramPython(program, "/opt/kinetic/environment"), Path("/chosen/python3.11"));
}

TEST_F(ProgramPythonTest, FindsPythonInCommand) {
  EXPECT_EQ(Of({"python", "train.py"}), "image/python");
  EXPECT_EQ(Of({"nice", "python3.12", "-m", "train"}), "image/python3.12");
  EXPECT_EQ(Of({(tree_ / "image/python3").native(), "-m", "train"}), "image/python3");
  EXPECT_EQ(Of({"own/python3", "train.py"}), "work/own/python3");
  EXPECT_EQ(Of({"python", "train.py"}, true), "image/python") << "found in the program's own PATH";
}

TEST_F(ProgramPythonTest, FindsPythonInShellLine) {
  EXPECT_EQ(Of({"/bin/sh", "-c", "cd code&&python3 train.py | tee log"}), "image/python3");
  EXPECT_EQ(Of({"/bin/sh", "-c", "A=1 \"own/python3\" -m train"}), "work/own/python3");
}

TEST_F(ProgramPythonTest, OtherCommandsUsePythonOfPackages) {
  for (const std::string line : {"./train --with=7", "pythonic train", "cat python.py", "true"}) {
    EXPECT_EQ(Of({"/bin/sh", "-c", line}), "") << line;
    EXPECT_EQ(Of({"/bin/sh", "-c", line}, true), "environment/bin/python") << line;
  }
}

TEST_F(ProgramPythonTest, ReturnsNothingForMissingPython) {
  EXPECT_EQ(Of({"python2.7", "train.py"}), "");
  EXPECT_EQ(Of({"/nowhere/python3", "train.py"}, true), "");
}

}  // namespace
}  // namespace kinetic::runner
