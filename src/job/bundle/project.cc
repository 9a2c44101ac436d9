#include "kinetic/project.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "bundle/source/root.h"

#include <utility>

namespace kinetic::inline v0 {

Result<Project> FindProject(const std::filesystem::path& folder,
                            const std::filesystem::path& home) {
  KINETIC_ASSIGN_OR_RETURN(bundle::Root root,
                           bundle::FindRoot(PosixFileSystem(), folder, std::nullopt, home));
  return Project{std::move(root.path), root.has_marker};
}

}  // namespace kinetic::inline v0
