#include "env/install/missing_tool.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::env {
namespace {

std::string ToolMissingIn(const std::string& output) {
  const test::TempTree tree;
  auto log = InstallerLog::Create(PosixFileSystem(), tree / "x.log", {}, nullptr);
  log->Write(output + "\n");
  return MissingTool(*log).value_or("none");
}

TEST(MissingTool, IsNamedByBuildSystems) {
  EXPECT_EQ(ToolMissingIn("running build\nerror: command 'gcc' failed: No such file or directory"),
            "gcc");
  EXPECT_EQ(
      ToolMissingIn(
          "error: command '/usr/bin/x86_64-linux-gnu-g++-12' failed: No such file or directory"),
      "x86_64-linux-gnu-g++-12");
  EXPECT_EQ(ToolMissingIn("FileNotFoundError: [Errno 2] No such file or directory: 'cmake'"),
            "cmake");
  EXPECT_EQ(ToolMissingIn("   /bin/sh: 1: nvcc: not found"), "nvcc");
  EXPECT_EQ(ToolMissingIn("bash: line 1: make: command not found"), "make");
  EXPECT_EQ(ToolMissingIn("Cargo, the Rust package manager, is not installed or is not on PATH."),
            "cargo");
  EXPECT_EQ(ToolMissingIn("../meson.build:1:0: ERROR: Unknown compiler(s): [['cc'], ['gcc']]"),
            "a C or C++ compiler");
}

TEST(MissingTool, IsNotAnyMissingFile) {
  EXPECT_EQ(ToolMissingIn("error: command 'gcc' failed with exit code 1"), "none");
  EXPECT_EQ(ToolMissingIn("FileNotFoundError: No such file or directory: 'README.md'"), "none");
  EXPECT_EQ(ToolMissingIn("x.c:1:10: fatal error: cc: not found anywhere"), "none");
  EXPECT_EQ(ToolMissingIn("error: package idna: not found"), "none");
}

}  // namespace
}  // namespace kinetic::env
