#include "bundle/source/folder_reader.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/format/tree.h"
#include "bundle/ignore/rules.h"
#include "bundle/source/root.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::bundle {
namespace {

constexpr std::string_view kGitIgnore = ".gitignore";
constexpr std::string_view kKineticIgnore = ".kineticignore";
constexpr std::string_view kGit = ".git";
constexpr std::uint32_t kOwnerMayRead = 0400;
constexpr std::uint32_t kOthersMayRead = 0004;
constexpr std::uint32_t kOwnerMayExecute = 0100;

Problem Unreadable(const std::string& path) {
  return {.kind = Problem::Kind::kUnreadable,
          .text = "cannot read " + Printable(path) + ": permission denied"};
}

std::string DisplayPath(const Folder& folder) { return folder.path.empty() ? "." : folder.path; }

std::string SecretWarning(const std::string& path, std::string_view meaning, bool is_data) {
  const std::string_view advice = is_data ? "move it out of the folder to exclude it"
                                          : "add it to a .kineticignore to exclude it";
  return Printable(path) + (is_data ? " is stored as data" : " is bundled") +
         ", but its name looks like a secret (" + std::string(meaning) + "); " +
         std::string(advice);
}

std::string ReplacedWarning(const std::string& path) {
  return Printable(path) + " was replaced while it was listed, and is left out";
}

/// Returns whether an error means that a folder was removed after it was listed. Marks it.
bool Vanished(Folder& folder, const Error& error) {
  folder.vanished = error.code == ErrorCode::kNotFound && folder.parent != nullptr;
  return folder.vanished;
}

}  // namespace

struct FolderReader::Listing {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};

FolderReader::FolderReader(FileSystem& fs, std::string root, WalkRules rules)
    : fs_(fs), root_(std::move(root)), rules_(std::move(rules)), user_(::geteuid()) {}

std::string FolderReader::Absolute(const Folder& folder) const { return root_ + '/' + folder.path; }

Result<std::vector<std::string>> FolderReader::Read(Folder& folder) const {
  auto entries = fs_.ReadDirectory(Absolute(folder));
  if (!entries) {
    if (entries.error().code == ErrorCode::kPermissionDenied) {
      folder.problems.push_back(Unreadable(DisplayPath(folder)));
      return std::vector<std::string>();
    }
    if (Vanished(folder, entries.error())) return std::vector<std::string>();
    return Failure(std::move(entries).error());
  }
  if (rules_.follow_links) {
    const Path name = Path(folder.path).parent_path().filename();
    KINETIC_ASSIGN_OR_RETURN(folder.real, folder.parent == nullptr
                                              ? ResolvePath(fs_, root_)
                                              : ResolveIn(fs_, folder.parent->real, name));
  }
  if (rules_.ignore_files) KINETIC_RETURN_IF_ERROR(ReadScope(folder, *entries));
  Listing listing;
  std::ranges::sort(*entries, {}, &DirectoryEntry::name);
  KINETIC_RETURN_IF_ERROR(Classify(folder, *std::move(entries), listing));
  KINETIC_RETURN_IF_ERROR(AddFiles(folder, listing.files));
  // Links precede the files.
  if (!std::ranges::is_sorted(folder.entries, {}, &SourceEntry::path)) {
    std::ranges::sort(folder.entries, {}, &SourceEntry::path);
  }
  return std::move(listing.folders);
}

Status FolderReader::ReadScope(Folder& folder, const std::vector<DirectoryEntry>& entries) const {
  IgnoreScope own{folder.scope, rules_.prefix.size() + folder.path.size(), {}, {}, {}};
  for (const DirectoryEntry& entry : entries) {
    const bool is_repository = entry.name == kGit;
    const bool is_ignore_file = entry.name == kGitIgnore || entry.name == kKineticIgnore;
    // Like git, do not follow links to ignore files.
    if (!is_repository && (!is_ignore_file || entry.type != FileType::kRegular)) continue;
    auto rules = is_repository ? ReadInfoExclude(fs_, Absolute(folder))
                               : ReadIgnoreFile(fs_, Absolute(folder) + entry.name);
    if (!rules && rules.error().code == ErrorCode::kPermissionDenied) {
      folder.problems.push_back(Unreadable(folder.path + entry.name));
      continue;
    }
    if (!rules) return Failure(std::move(rules).error());
    (is_repository              ? own.exclude
     : entry.name == kGitIgnore ? own.git
                                : own.kinetic) = *std::move(rules);
  }
  if (!own.git.empty() || !own.kinetic.empty() || !own.exclude.empty()) {
    folder.scope = std::make_shared<const IgnoreScope>(std::move(own));
  }
  return {};
}

Status FolderReader::Classify(Folder& folder, std::vector<DirectoryEntry> entries,
                              Listing& listing) const {
  std::string path = rules_.prefix + folder.path;
  const std::size_t base = path.size();
  const bool may_skip =
      std::ranges::any_of(rules_.skip, [absolute = Absolute(folder)](const std::string& skipped) {
        return skipped.starts_with(absolute);
      });
  listing.files.reserve(entries.size());
  for (DirectoryEntry& entry : entries) {
    if (entry.name == kGit && rules_.ignore_files) continue;
    path.resize(base);
    path += entry.name;
    const bool is_folder = entry.type == FileType::kDirectory;
    if (rules_.filter.Excludes(folder.scope.get(), path, is_folder)) continue;
    if (may_skip && rules_.skip.contains(Absolute(folder) + entry.name)) continue;
    if (path.size() - rules_.prefix.size() > kMaxPathBytes || folder.depth + 1 > kMaxDepth) {
      folder.problems.push_back({.kind = Problem::Kind::kTooLong,
                                 .text = "the path is too long or too deep: " +
                                         Printable(path.substr(rules_.prefix.size()))});
      continue;
    }
    switch (entry.type) {
      case FileType::kDirectory:
        listing.folders.push_back(std::move(entry.name));
        break;
      case FileType::kRegular:
        listing.files.push_back(std::move(entry.name));
        break;
      case FileType::kSymlink: {
        KINETIC_ASSIGN_OR_RETURN(const bool is_followed, FollowLink(folder, entry.name, listing));
        if (!is_followed) KINETIC_RETURN_IF_ERROR(AddLink(folder, entry.name));
        break;
      }
      case FileType::kOther:
        folder.warnings.push_back(Printable(folder.path + entry.name) +
                                  " is a socket, pipe or device and is not " +
                                  (rules_.is_data ? "stored" : "bundled"));
        break;
    }
  }
  return {};
}

Status FolderReader::AddLink(Folder& folder, const std::string& name) const {
  auto target = fs_.ReadLink(Absolute(folder) + name);
  if (!target) {
    if (target.error().code == ErrorCode::kNotFound) return {};  // removed meanwhile
    if (target.error().code == ErrorCode::kInvalidArgument) {    // no longer a link
      folder.warnings.push_back(ReplacedWarning(folder.path + name));
      return {};
    }
    return Failure(std::move(target).error());
  }
  folder.entries.push_back({.path = folder.path + name,
                            .type = BundleEntry::Type::kSymlink,
                            .executable = false,
                            .link_target = *std::move(target),
                            .status = {}});
  return {};
}

/// Adds what a link outside the root points to, if links are followed. Returns false if the link
/// is to be kept.
Result<bool> FolderReader::FollowLink(Folder& folder, const std::string& name,
                                      Listing& listing) const {
  if (!rules_.follow_links) return false;
  const auto target = ResolveIn(fs_, folder.real, name);
  if (!target || IsWithin(*target, root_)) return false;
  const auto status = fs_.Lstat(*target);
  if (!status) return false;
  if (status->type == FileType::kDirectory) {
    for (const Folder* each = &folder; each != nullptr; each = each->parent) {
      if (!IsWithin(each->real, *target)) continue;
      folder.problems.push_back({.kind = Problem::Kind::kTooLong,
                                 .text = "the link " + Printable(folder.path + name) +
                                         " points to " + Printable(target->native()) +
                                         ", which contains the link"});
      return true;
    }
    listing.folders.push_back(name);
    return true;
  }
  if (status->type != FileType::kRegular) {
    folder.warnings.push_back(Printable(folder.path + name) +
                              " points to a socket, pipe or device and is not stored");
    return true;
  }
  AddFile(folder, {.path = folder.path + name,
                   .type = BundleEntry::Type::kFile,
                   .executable = (status->mode & kOwnerMayExecute) != 0,
                   .link_target = {},
                   .status = *status});
  return true;
}

void FolderReader::AddFile(Folder& folder, SourceEntry entry) const {
  CheckReadable(folder, entry);
  if (const auto meaning = MatchSecretPattern(entry.path)) {
    folder.warnings.push_back(SecretWarning(entry.path, *meaning, rules_.is_data));
  }
  folder.entries.push_back(std::move(entry));
}

Status FolderReader::AddFiles(Folder& folder, const std::vector<std::string>& names) const {
  auto all = fs_.LstatAll(Absolute(folder), names);
  if (!all && all.error().code == ErrorCode::kPermissionDenied) {
    folder.problems.push_back(Unreadable(DisplayPath(folder)));
    return {};
  }
  if (!all) {
    if (Vanished(folder, all.error())) return {};
    return Failure(std::move(all).error());
  }
  folder.entries.reserve(folder.entries.size() + names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& status = (*all)[i];
    if (!status) continue;  // removed meanwhile
    SourceEntry entry{.path = folder.path + names[i],
                      .type = BundleEntry::Type::kFile,
                      .executable = (status->mode & kOwnerMayExecute) != 0,
                      .link_target = {},
                      .status = *status};
    if (status->type != FileType::kRegular) {
      folder.warnings.push_back(ReplacedWarning(entry.path));
      continue;
    }
    AddFile(folder, std::move(entry));
  }
  return {};
}

/// Opens a file only if its mode does not grant access, because groups and access lists may.
void FolderReader::CheckReadable(Folder& folder, const SourceEntry& entry) const {
  const std::uint32_t needed = entry.status.owner == user_ ? kOwnerMayRead : kOthersMayRead;
  if (user_ == 0 || (entry.status.mode & needed) != 0) return;
  const auto opened = fs_.Open(root_ + '/' + entry.path, OpenMode::kRead, 0);
  if (opened || opened.error().code != ErrorCode::kPermissionDenied) return;
  folder.problems.push_back(Unreadable(entry.path));
}

}  // namespace kinetic::bundle
