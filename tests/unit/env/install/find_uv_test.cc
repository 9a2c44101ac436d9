#include "env/install/installer.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::env {
namespace {

TEST(FindInstalledUv, RunsUnchangedUvOnce) {
  const test::TempTree tree;
  ToolOptions tools;
  tools.cache_dir = tree / "cache";
  tools.search_path = (tree / "bin").native();
  const std::string log = (tree / "log").native();
  const auto install = [&](const std::string& version) {
    tree.Write("bin/uv", "#!/bin/sh\necho run >> " + log + "\necho uv " + version + "\n", 0755);
  };
  install("0.13.9");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(FindInstalledUv(tools, {})->version, "uv 0.13.9");
  EXPECT_EQ(tree.Read("log"), "run\n");
  install("0.13.10");
  EXPECT_EQ(FindInstalledUv(tools, {})->version, "uv 0.13.10");
}

}  // namespace
}  // namespace kinetic::env
