#pragma once

#include "base/file_system.h"
#include "store/store.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::store {

/// Walks the folder of a store in bytewise order of the objects' full names, holding the entries of
/// one folder per level in memory.
class FolderListing {
 public:
  using Each = std::function<Result<bool>(const ObjectInfo&)>;

  FolderListing(FileSystem& fs, Path root, std::string_view prefix, std::string_view start)
      : fs_(fs), root_(std::move(root)), prefix_(prefix), start_(start) {}

  Status Run(const Each& each, const std::stop_token& stop);

 private:
  Result<bool> Walk(const std::string& folder, const Each& each, const std::stop_token& stop);
  Result<bool> Visit(const std::string& name, const Each& each) const;
  /// Whether a name that begins with `begin` (all of it, when `whole`) can be listed.
  bool MayMatch(std::string_view begin, bool whole) const;

  FileSystem& fs_;
  const Path root_;
  const std::string prefix_;
  const std::string start_;
};

}  // namespace kinetic::store
