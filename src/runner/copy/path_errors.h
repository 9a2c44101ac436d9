#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "local/job_path.h"
#include "runner/copy/serve.h"

#include <string>

namespace kinetic::runner {

/// Errors about paths below one of a job's folders, with the paths as users write them.
class PathErrors {
 public:
  /// The arguments must outlive this object.
  PathErrors(const CopiedJob& job, const local::LocatedPath& place)
      : job_(job), fs_(job.files.fs()), place_(place) {}

  /// Returns a path as users write it.
  /// @param relative  to the folder; so are those of the other functions.
  std::string Shown(const std::string& relative) const;

  Failure NotFolder(const std::string& relative) const;

  /// Returns the error for a path that leads nowhere, with the nearest name in the last folder that
  /// exists.
  Failure Missing(const std::string& relative) const;

 private:
  std::string Hint(const std::string& relative, const Path& folder, const std::string& name) const;

  const CopiedJob& job_;
  FileSystem& fs_;
  const local::LocatedPath& place_;
};

}  // namespace kinetic::runner
