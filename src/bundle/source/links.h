#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "bundle/source/problem.h"
#include "bundle/source/walked_tree.h"

#include <vector>

namespace kinetic::bundle {

/// Checks the symbolic links of a tree, and makes those relative that lead to a place inside the
/// root by way of one outside (an absolute path, say). A link to something that does not travel is
/// kept with a warning, one to nothing without.
///
/// @returns  a problem for each link that points out of the root.
/// @errors   those of FileSystem.
Result<std::vector<Problem>> CheckLinks(FileSystem& fs, SourceTree& tree);

}  // namespace kinetic::bundle
