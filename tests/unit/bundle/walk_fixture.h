#pragma once

#include "bundle/source/walk.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::bundle {

/// Walks a temporary folder.
class WalkFixture : public testing::Test {
 protected:
  Result<SourceTree> TryWalk(const WalkOptions& options = {}, FileSystem& fs = PosixFileSystem()) {
    return Walk(fs, {.path = tree_.path(), .reason = "has a test", .repository = repository_},
                options, {});
  }

  SourceTree Walked(const WalkOptions& options = {}) {
    auto walked = TryWalk(options);
    EXPECT_TRUE(walked) << walked.error().message;
    return walked ? *std::move(walked) : SourceTree();
  }

  std::vector<std::string> Paths(const WalkOptions& options = {}) {
    std::vector<std::string> paths;
    for (auto& entry : Walked(options).entries) paths.push_back(std::move(entry.path));
    return paths;
  }

  void WriteAll(const std::vector<std::string>& names) {
    for (const auto& name : names) (void)tree_.Write(name, name);
  }

  test::TempTree tree_;
  Path repository_;
};

}  // namespace kinetic::bundle
