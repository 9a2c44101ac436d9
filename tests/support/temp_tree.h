#pragma once

#include "base/files/file_system.h"

#include <string_view>

namespace kinetic::test {

/// A temporary folder, removed by the destructor.
class TempTree {
 public:
  TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree();

  const Path& path() const { return path_; }
  Path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file and its parent folders. Returns its path.
  Path Write(std::string_view name, std::string_view content, std::uint32_t mode = 0644) const;
  std::string Read(std::string_view name) const;
  Path MakeFolder(std::string_view name) const;
  Path MakeLink(std::string_view name, const std::string& target) const;

 private:
  Path path_;
};

}  // namespace kinetic::test
