#pragma once

#include "job/context.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// What the user of a project has been told before, in a file of the cache.
class SeenList {
 public:
  /// @param folder  of the cache, with one file for each project.
  SeenList(const Context& context, std::string_view folder, const Path& project);

  bool Has(std::string_view text) const;
  /// Replaces the list. Write errors are ignored, because a missing list only repeats a message.
  void Keep(const std::vector<std::string>& texts) const;

 private:
  FileSystem& fs_;
  Path file_;
  std::set<std::string, std::less<>> known_;  ///< digests
};

}  // namespace kinetic::job
