#include "local/output_links.h"

#include "kinetic/try.h"

#include "base/random.h"

#include <utility>

namespace kinetic::local {
namespace {

/// Creates a link or replaces a file or link by it. Returns false if it is there.
Result<bool> CreateLink(FileSystem& fs, const Path& path, const std::string& target) {
  const auto status = fs.Lstat(path);
  if (status && status->type == FileType::kSymlink) {
    KINETIC_ASSIGN_OR_RETURN(const std::string now, fs.ReadLink(path));
    if (now == target) return false;
  }
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, path.parent_path()));
  const Path draft = path.parent_path() / (".kinetic-" + RandomId() + ".link");
  KINETIC_RETURN_IF_ERROR(fs.MakeSymlink(target, draft));
  const Status renamed = fs.Rename(draft, path);
  if (!renamed) {
    (void)fs.Unlink(draft);
    return Failure(renamed.error());
  }
  return true;
}

}  // namespace

Result<std::uint64_t> CreateOutputLinks(FileSystem& fs, const Path& folder,
                                        const std::map<std::string, std::string>& links) {
  std::uint64_t created = 0;
  for (const auto& [path, target] : links) {
    KINETIC_ASSIGN_OR_RETURN(const bool made, CreateLink(fs, folder / path, target));
    if (made) ++created;
  }
  return created;
}

}  // namespace kinetic::local
