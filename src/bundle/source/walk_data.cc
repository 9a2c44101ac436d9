#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/source/root.h"
#include "bundle/source/walk.h"

#include <utility>

namespace kinetic::bundle {
namespace {

SourceTree SingleFileTree(const Path& file, const FileStatus& status) {
  constexpr std::uint32_t kExecutableByOwner = 0100;
  SourceTree tree;
  tree.root = file.parent_path();
  SourceEntry entry;
  entry.path = file.filename().native();
  entry.executable = (status.mode & kExecutableByOwner) != 0;
  entry.status = status;
  tree.entries.push_back(std::move(entry));
  return tree;
}

}  // namespace

Result<SourceTree> WalkDataSource(FileSystem& fs, const Path& source, bool follow_links,
                                  std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(source));
  if (status.type == FileType::kRegular) return SingleFileTree(source, status);
  if (status.type != FileType::kDirectory) {
    return Fail(ErrorCode::kInvalidArgument,
                Printable(source.native()) + " is neither a file nor a folder");
  }
  WalkOptions options;
  options.default_excludes = false;
  options.ignore_files = false;
  options.is_data = true;
  options.follow_links = follow_links;
  options.threads = 0;
  return Walk(fs, {.path = source, .reason = "data", .repository = {}}, options, std::move(stop));
}

}  // namespace kinetic::bundle
