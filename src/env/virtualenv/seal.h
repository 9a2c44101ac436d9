#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "env/virtualenv/evict.h"

#include <span>
#include <string>
#include <string_view>

namespace kinetic::env {

/// Makes the folders of a new environment or package set read-only, except __pycache__, and its
/// files without other hard links. Jobs of the same user can undo this, which IsSealed detects.
///
/// @param others  environments from which compiled modules are linked (RecentEnvironments).
Status SealEnvironment(FileSystem& fs, const Path& root, std::span<const Path> others = {});

/// Returns whether the entries of one folder are unchanged since the environment was sealed.
/// `folder` may be a symbolic link.
bool HasSealedTime(FileSystem& fs, const Path& folder);

/// Returns whether the entries of `root`, `bin` and site-packages are unchanged since the
/// environment was sealed, and those of its package sets. Reads no other folders, so its run time
/// does not depend on the number of files.
///
/// @param python  "3.12"
bool IsSealed(FileSystem& fs, const Path& root, std::string_view python);

/// Compares an environment with the hashes in its packages' RECORD files. Returns the first
/// difference, or the reason why the files cannot be read, or an empty string.
std::string FindDamage(FileSystem& fs, const CachedEnvironment& environment);

/// Returns why the next use of an environment builds it again, or an empty string. Does not read its
/// files.
std::string FindVisibleDamage(FileSystem& fs, const CachedEnvironment& environment);

/// Marks an environment and its package sets so that its next use builds them again.
Status Unseal(FileSystem& fs, const CachedEnvironment& environment, WallTime now);

}  // namespace kinetic::env
