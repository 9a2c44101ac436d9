#pragma once

#include "job/git/repository.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Reads the ID of a commit's tree, as bytes, from a loose object or a pack. Returns nullopt if the
/// commit is not found, or is stored as a difference to another one.
///
/// @source  https://git-scm.com/docs/gitformat-pack
std::optional<std::string> ReadCommitTree(FileSystem& fs, const GitRepository& repository,
                                          std::string_view commit);

}  // namespace kinetic::job
