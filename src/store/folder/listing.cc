#include "kinetic/try.h"

#include "store/folder/internal_files.h"
#include "store/folder/object_file.h"
#include "store/object.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kinetic::store {
namespace {

bool IsReserved(const std::string& name) { return name == kTemporaryFolder || name == kLockFolder; }

/// Returns the entries of a folder in the order of full names: a folder sorts with its '/'.
std::vector<std::string> SortedKeys(std::vector<DirectoryEntry> entries, bool at_root) {
  std::vector<std::string> keys;
  keys.reserve(entries.size());
  for (auto& entry : entries) {
    if (at_root && IsReserved(entry.name)) continue;
    if (entry.type == FileType::kDirectory) {
      keys.push_back(std::move(entry.name) + '/');
    } else {
      keys.push_back(std::move(entry.name));
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

class FolderListing {
 public:
  using Each = std::function<Result<bool>(const ObjectInfo&)>;

  FolderListing(FileSystem& fs, Path root, std::string_view prefix, std::string_view start)
      : fs_(fs), root_(std::move(root)), prefix_(prefix), start_(start) {}

  Status Run(const Each& each, const std::stop_token& stop);

 private:
  Result<bool> Walk(const std::string& folder, const Each& each, const std::stop_token& stop);
  Result<bool> Visit(const std::string& name, const Each& each) const;
  Result<bool> VisitUnlistable(const std::string& folder, Error error, const Each& each) const;
  /// Returns whether a name that begins with `begin`, or is `begin` if `whole`, can be listed.
  bool MayMatch(std::string_view begin, bool whole) const;

  FileSystem& fs_;
  const Path root_;
  const std::string prefix_;
  const std::string start_;
};

Status FolderListing::Run(const Each& each, const std::stop_token& stop) {
  const auto slash = prefix_.rfind('/');
  const std::string folder =
      slash == std::string::npos ? std::string() : prefix_.substr(0, slash + 1);
  // An invalid name has no objects below it, and must not escape from the root.
  if (!folder.empty() && !CheckName(std::string_view(folder).substr(0, slash))) return {};
  KINETIC_ASSIGN_OR_RETURN([[maybe_unused]] const bool more, Walk(folder, each, stop));
  return {};
}

bool FolderListing::MayMatch(std::string_view begin, bool whole) const {
  if (!begin.starts_with(prefix_) && (whole || !std::string_view(prefix_).starts_with(begin))) {
    return false;
  }
  return begin >= start_ || (!whole && std::string_view(start_).starts_with(begin));
}

Result<bool> FolderListing::Walk(const std::string& folder, const Each& each,
                                 const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return Fail(ErrorCode::kCancelled, "stopped while listing the store");
  }
  // No object is below it, or it was renamed because it could not be removed.
  if (folder.size() > kNameBytes || IsDiscarded(folder)) return true;
  auto entries = fs_.ReadDirectory(root_ / folder);
  if (!entries) return VisitUnlistable(folder, std::move(entries).error(), each);
  for (const std::string& key : SortedKeys(*std::move(entries), folder.empty())) {
    const std::string name = folder + key;
    const bool is_folder = key.back() == '/';
    if (!MayMatch(name, !is_folder)) continue;
    KINETIC_ASSIGN_OR_RETURN(const bool more,
                             is_folder ? Walk(name, each, stop) : Visit(name, each));
    if (!more) return false;
  }
  return true;
}

Result<bool> FolderListing::Visit(const std::string& name, const Each& each) const {
  if (!CheckName(name)) return true;  // not written by a store
  KINETIC_ASSIGN_OR_RETURN(const auto file, OpenObjectFile(fs_, root_, name));
  if (!file) return true;  // removed meanwhile
  // One damaged object must not hide the others.
  KINETIC_ASSIGN_OR_RETURN(const ObjectInfo info, ReadInfo(fs_, *file, name));
  return each(info);
}

Result<bool> FolderListing::VisitUnlistable(const std::string& folder, Error error,
                                            const Each& each) const {
  const auto status = fs_.Lstat(root_ / folder.substr(0, folder.find_last_not_of('/') + 1));
  if (!status) {
    const ErrorCode code = status.error().code;
    // kFailedPrecondition: it is below a link.
    if (code == ErrorCode::kNotFound || code == ErrorCode::kFailedPrecondition) return true;
    return Failure(std::move(error));
  }
  if (status->type == FileType::kRegular) return true;  // an object
  const bool is_folder = status->type == FileType::kDirectory;
  if (is_folder && error.code == ErrorCode::kNotFound) return true;  // removed meanwhile
  const bool is_denied = is_folder && error.code == ErrorCode::kPermissionDenied;
  if (folder.empty() || (is_folder && !is_denied)) return Failure(std::move(error));
  if (!MayMatch(folder, true)) return true;
  return each(
      DamagedInfo(*status, folder, is_denied ? DeniedDamage(*status) : DamageOf(status->type)));
}

}  // namespace

Status ListObjectFiles(FileSystem& fs, const Path& root, std::string_view prefix,
                       std::string_view start,
                       const std::function<Result<bool>(const ObjectInfo&)>& each,
                       const std::stop_token& stop) {
  return FolderListing(fs, root, prefix, start).Run(each, stop);
}

}  // namespace kinetic::store
