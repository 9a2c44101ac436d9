#pragma once

#include "base/files/file_system.h"
#include "record/job_record.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Returns commit and branch of the repository that contains `folder`, and whether tracked files
/// differ from the commit. Runs `git status` for the difference, and reads git's files otherwise.
/// Returns nullopt if there is no repository, or HEAD names no commit: a new repository, or an
/// unsupported reference format. `dirty` is nullopt if git is not on the search path, fails or is
/// stopped.
///
/// @source  https://git-scm.com/docs/gitrepository-layout
std::optional<record::GitState> ReadGitState(FileSystem& fs, const Path& folder,
                                             std::string_view search_path, std::stop_token stop);

}  // namespace kinetic::job
