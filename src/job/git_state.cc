#include "job/git_state.h"

#include "base/strings.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::uint64_t kMaxRefBytes = 64U << 10;
constexpr std::uint64_t kMaxPackedRefsBytes = 64U << 20;
constexpr int kMaxSymbolicRefs = 5;

/// The git repository that contains a folder.
struct GitRepository {
  Path git_dir;  ///< contains HEAD; for a linked worktree, .git/worktrees/{name}
  Path common;   ///< contains refs and packed-refs; the main repository's .git
};

bool IsGitObjectId(std::string_view text) {
  const auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, is_hex);
}

std::optional<std::string> ReadGitFile(FileSystem& fs, const Path& file,
                                       std::uint64_t limit_bytes) {
  const auto status = fs.Lstat(file);
  if (!status || status->type != FileType::kRegular) return std::nullopt;
  auto text = ReadRegularFile(fs, file, limit_bytes);
  if (!text) return std::nullopt;
  return *std::move(text);
}

std::optional<std::string> ReadLine(FileSystem& fs, const Path& file) {
  const auto text = ReadGitFile(fs, file, kMaxRefBytes);
  if (!text) return std::nullopt;
  return std::string(Trim(*text));
}

/// Returns the text after `prefix`, if the text starts with it.
std::optional<std::string> After(const std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return std::string(Trim(std::string_view(text).substr(prefix.size())));
}

/// A line of packed-refs is "{object name} {reference}".
std::optional<std::string> FindPacked(FileSystem& fs, const Path& common, std::string_view name) {
  const auto text = ReadGitFile(fs, common / "packed-refs", kMaxPackedRefsBytes);
  if (!text) return std::nullopt;
  for (const auto line : Split(*text, '\n')) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos || Trim(line.substr(space + 1)) != name) continue;
    if (IsGitObjectId(line.substr(0, space))) return std::string(line.substr(0, space));
  }
  return std::nullopt;
}

/// Follows references such as "ref: refs/heads/main" to a commit.
std::optional<std::string> Resolve(FileSystem& fs, const GitRepository& repository,
                                   std::string name) {
  for (int step = 0; step < kMaxSymbolicRefs; ++step) {
    auto line = ReadLine(fs, repository.git_dir / name);
    if (!line) line = ReadLine(fs, repository.common / name);
    if (!line) return FindPacked(fs, repository.common, name);
    if (IsGitObjectId(*line)) return line;
    const auto symbolic = After(*line, "ref:");
    if (!symbolic || symbolic->find("..") != std::string::npos) return std::nullopt;
    name = *symbolic;
  }
  return std::nullopt;
}

/// `.git` is a folder or, in linked worktrees and submodules, a file that names one.
std::optional<Path> GitDir(FileSystem& fs, const Path& folder) {
  Path dot_git = folder / ".git";
  const auto status = fs.Lstat(dot_git);
  if (!status) return std::nullopt;
  if (status->type == FileType::kDirectory) return dot_git;
  const auto line = ReadLine(fs, dot_git);
  const auto named = line ? After(*line, "gitdir:") : std::nullopt;
  if (!named) return std::nullopt;
  return (folder / *named).lexically_normal();
}

std::optional<GitRepository> FindGitRepository(FileSystem& fs, const Path& folder) {
  for (Path at = folder;; at = at.parent_path()) {
    if (auto git_dir = GitDir(fs, at)) {
      Path common = *git_dir;
      if (const auto named = ReadLine(fs, *git_dir / "commondir")) {
        common = (*git_dir / *named).lexically_normal();
      }
      return GitRepository{*std::move(git_dir), std::move(common)};
    }
    if (at == at.parent_path()) return std::nullopt;
  }
}

std::optional<record::GitState> ReadGitHead(FileSystem& fs, const GitRepository& repository) {
  const auto commit = Resolve(fs, repository, "HEAD");
  if (!commit) return std::nullopt;
  record::GitState state;
  state.commit = *commit;
  const auto head = ReadLine(fs, repository.git_dir / "HEAD");
  if (const auto branch = head ? After(*head, "ref: refs/heads/") : std::nullopt) {
    state.branch = *branch;
  }
  return state;
}

}  // namespace

std::optional<record::GitState> ReadGitState(FileSystem& fs, const Path& folder) {
  const auto repository = FindGitRepository(fs, folder);
  return repository ? ReadGitHead(fs, *repository) : std::nullopt;
}

}  // namespace kinetic::job
