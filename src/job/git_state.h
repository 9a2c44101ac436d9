#pragma once

#include "base/files/file_system.h"
#include "record/job_record.h"

#include <optional>

namespace kinetic::job {

/// Reads commit and branch of the repository that contains `folder` from git's own files: runs no
/// program and applies no configuration. Returns nullopt outside of a repository, and if HEAD names
/// no commit: a new repository, or an unsupported reference format.
///
/// Whether files differ from the commit is not determined: the tree of the job pins its code.
///
/// @source  https://git-scm.com/docs/gitrepository-layout
std::optional<record::GitState> ReadGitState(FileSystem& fs, const Path& folder);

}  // namespace kinetic::job
