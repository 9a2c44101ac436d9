#include "kinetic/project.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "bundle/source/root.h"
#include "bundle/source/walk.h"

#include <utility>

namespace kinetic::inline v0 {

Result<Project> FindProject(const std::filesystem::path& folder,
                            const std::filesystem::path& home) {
  KINETIC_ASSIGN_OR_RETURN(bundle::Root root,
                           bundle::FindRoot(PosixFileSystem(), folder, std::nullopt, home));
  return Project{std::move(root.path), root.has_marker};
}

Result<bool> IsInBundle(const BundleSpec& bundle, const std::filesystem::path& file) {
  FileSystem& fs = PosixFileSystem();
  KINETIC_ASSIGN_OR_RETURN(const bundle::Root root,
                           bundle::FindRoot(fs, bundle.root.value_or("."), bundle.root, {}));
  bundle::WalkOptions options;
  options.exclude = bundle.exclude;
  options.default_excludes = bundle.default_excludes;
  return bundle::IsListed(fs, root, std::move(options), file.native());
}

}  // namespace kinetic::inline v0
