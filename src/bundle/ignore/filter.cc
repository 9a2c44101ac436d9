#include "bundle/ignore/filter.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace kinetic::bundle {
namespace {

constexpr std::uint64_t kMaxIgnoreFileBytes = 16ULL << 20;
constexpr std::uint64_t kMaxGitFileBytes = 64ULL << 10;

/// Matches the rules of each scope in order, from the innermost scope to the outermost.
RuleMatch MatchUpwards(const IgnoreScope* scope,
                       std::initializer_list<IgnoreRules IgnoreScope::*> kinds,
                       std::string_view path, bool is_folder) {
  for (; scope != nullptr; scope = scope->parent.get()) {
    for (const auto kind : kinds) {
      const IgnoreRules& own = scope->*kind;
      if (own.empty()) continue;
      const RuleMatch match = own.Match(path.substr(scope->base_length), is_folder);
      if (match != RuleMatch::kNone) return match;
    }
  }
  return RuleMatch::kNone;
}

/// Reads a small file and trims it. Returns "" if it does not exist.
Result<std::string> ReadLine(FileSystem& fs, const Path& path) {
  auto text = ReadRegularFile(fs, path, kMaxGitFileBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return std::string();
    return Failure(std::move(text).error());
  }
  return std::string(Trim(*text));
}

/// Returns the folder of a repository's internal files. In a worktree or submodule, the file `.git`
/// has its path. In a worktree, `commondir` has the path of the main repository's folder.
Result<Path> FindGitFolder(FileSystem& fs, const Path& repository) {
  Path git = repository / ".git";
  const auto status = fs.Lstat(git);
  if (!status || status->type != FileType::kRegular) return git;
  KINETIC_ASSIGN_OR_RETURN(const std::string line, ReadLine(fs, git));
  constexpr std::string_view kKey = "gitdir:";
  if (!line.starts_with(kKey)) return git;
  const Path folder = repository / Trim(std::string_view(line).substr(kKey.size()));
  KINETIC_ASSIGN_OR_RETURN(const std::string common, ReadLine(fs, folder / "commondir"));
  return common.empty() ? folder : folder / common;
}

}  // namespace

IgnoreFilter::IgnoreFilter(IgnoreRules exclude, const IgnoreRules* defaults,
                           std::size_t prefix_length)
    : exclude_(std::move(exclude)), defaults_(defaults), prefix_length_(prefix_length) {}

bool IgnoreFilter::Excludes(const IgnoreScope* scope, std::string_view path, bool is_folder) const {
  const std::string_view in_root = path.substr(prefix_length_);
  RuleMatch match = exclude_.Match(in_root, is_folder);
  if (match == RuleMatch::kNone) {
    match = MatchUpwards(scope, {&IgnoreScope::kinetic}, path, is_folder);
  }
  if (match == RuleMatch::kNone) {
    match = MatchUpwards(scope, {&IgnoreScope::git, &IgnoreScope::exclude}, path, is_folder);
  }
  if (match == RuleMatch::kNone && defaults_ != nullptr) {
    match = defaults_->Match(in_root, is_folder);
  }
  return match == RuleMatch::kExclude;
}

Result<IgnoreRules> ReadIgnoreFile(FileSystem& fs, const Path& path) {
  auto text = ReadRegularFile(fs, path, kMaxIgnoreFileBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return IgnoreRules();
    return Failure(std::move(text).error());
  }
  return IgnoreRules::Parse(*text);
}

Result<std::shared_ptr<const IgnoreScope>> ReadScopesAbove(FileSystem& fs, const Path& repository,
                                                           const Path& root) {
  std::shared_ptr<const IgnoreScope> scope;
  if (repository.empty()) return scope;
  Path folder = repository;
  std::size_t base_length = 0;
  for (const Path& part : root.lexically_relative(repository)) {
    if (part == ".") break;
    IgnoreScope own{scope, base_length, {}, {}, {}};
    const auto status = fs.Lstat(folder / ".gitignore");
    if (status && status->type == FileType::kRegular) {
      KINETIC_ASSIGN_OR_RETURN(own.git, ReadIgnoreFile(fs, folder / ".gitignore"));
    }
    KINETIC_ASSIGN_OR_RETURN(own.exclude, ReadInfoExclude(fs, folder));
    if (!own.git.empty() || !own.exclude.empty()) {
      scope = std::make_shared<const IgnoreScope>(std::move(own));
    }
    folder /= part;
    base_length += part.native().size() + 1;
  }
  return scope;
}

Result<IgnoreRules> ReadInfoExclude(FileSystem& fs, const Path& repository) {
  KINETIC_ASSIGN_OR_RETURN(const Path git, FindGitFolder(fs, repository));
  return ReadIgnoreFile(fs, git / "info" / "exclude");
}

}  // namespace kinetic::bundle
