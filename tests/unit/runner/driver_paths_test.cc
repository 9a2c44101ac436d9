#include "runner/driver_paths.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace kinetic::runner {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(DriverPaths, ComeBehindWhatTheImageHas) {
  const test::TempTree dir;
  const Path nvidia = dir.path() / "nvidia";
  std::filesystem::create_directories(nvidia / "lib64");
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin"},
                                                 {"LD_LIBRARY_PATH", "/cuda"}};
  for (int twice = 0; twice < 2; ++twice) {
    AddDriverPaths(PosixFileSystem(), nvidia, environment);
    EXPECT_THAT(environment, UnorderedElementsAre(
                                 Pair("PATH", "/usr/bin:" + (nvidia / "bin").native()),
                                 Pair("LD_LIBRARY_PATH", "/cuda:" + (nvidia / "lib64").native())));
  }
  environment.clear();
  AddDriverPaths(PosixFileSystem(), nvidia, environment);
  EXPECT_EQ(environment.at("LD_LIBRARY_PATH"), (nvidia / "lib64").native());
}

TEST(DriverPaths, WithoutADriverNothingChanges) {
  const test::TempTree dir;
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin"}};
  AddDriverPaths(PosixFileSystem(), dir.path() / "nvidia", environment);
  EXPECT_THAT(environment, UnorderedElementsAre(Pair("PATH", "/usr/bin")));
}

}  // namespace
}  // namespace kinetic::runner
