#include "support/temp_tree.h"

#include "base/random.h"

#include <gtest/gtest.h>

namespace kinetic::test {

TempTree::TempTree()
    : path_(std::filesystem::temp_directory_path() / ("kinetic-test-" + RandomId())) {
  std::filesystem::create_directories(path_);
  path_ = std::filesystem::canonical(path_);
}

TempTree::~TempTree() { (void)RemoveTree(PosixFileSystem(), path_); }

Path TempTree::Write(std::string_view name, std::string_view content, std::uint32_t mode) const {
  const Path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  auto& fs = PosixFileSystem();
  const auto fd = fs.Open(path, OpenMode::kTruncate, 0600);
  EXPECT_TRUE(fd) << path;
  EXPECT_TRUE(fs.Write(fd->get(), content));
  EXPECT_TRUE(fs.SetMode(path, mode));
  return path;
}

std::string TempTree::Read(std::string_view name) const {
  const auto content = ReadFile(PosixFileSystem(), path_ / name, 1ULL << 32);
  EXPECT_TRUE(content) << (path_ / name);
  return content ? *content : std::string();
}

Path TempTree::MakeFolder(std::string_view name) const {
  std::filesystem::create_directories(path_ / name);
  return path_ / name;
}

Path TempTree::MakeLink(std::string_view name, const std::string& target) const {
  const Path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  EXPECT_TRUE(PosixFileSystem().MakeSymlink(target, path));
  return path;
}

}  // namespace kinetic::test
