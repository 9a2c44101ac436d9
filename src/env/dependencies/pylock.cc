#include "env/dependencies/pylock.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/python/names.h"
#include "base/strings.h"
#include "json/document.h"
#include "json/parse.h"

#include <set>

namespace kinetic::env {
namespace {

/// Adds the strong hashes of a file: "sha256:…".
void AddHashes(const Value& file, std::set<std::string>& hashes) {
  const Value* const table = file.Find("hashes");
  if (table == nullptr || table->AsMap() == nullptr) return;
  for (const auto& [algorithm, hash] : *table->AsMap()) {
    if (!algorithm.starts_with("sha") || algorithm == "sha1") continue;
    if (hash.AsString() != nullptr) hashes.insert(algorithm + ":" + *hash.AsString());
  }
}

/// Adds a wheel or a source archive.
void AddFile(const Value& file, std::set<std::string>& hashes, std::vector<LockedFile>& files) {
  std::set<std::string> own;
  AddHashes(file, own);
  std::string url = json::TextAt(file, "url");
  if (url.empty()) url = json::TextAt(file, "path");
  if (!url.empty() && !own.empty()) files.push_back({std::move(url), *own.begin()});
  hashes.merge(own);
}

PylockPackage Read(const Value& table) {
  PylockPackage read;
  LockedPackage& package = read.package;
  package.name = NormalizedName(json::TextAt(table, "name"));
  package.version = json::TextAt(table, "version");
  read.index = json::TextAt(table, "index");
  std::set<std::string> hashes;
  if (const Value* const sdist = table.Find("sdist")) AddFile(*sdist, hashes, package.files);
  if (const Value* const wheels = table.Find("wheels"); wheels != nullptr && wheels->AsList()) {
    for (const Value& wheel : *wheels->AsList()) AddFile(wheel, hashes, package.files);
  }
  if (const Value* const archive = table.Find("archive")) {
    AddHashes(*archive, hashes);
    package.url = json::TextAt(*archive, "url");
    read.file = json::TextAt(*archive, "path");
    const std::string folder = json::TextAt(*archive, "subdirectory");
    if (!folder.empty()) package.url += "#subdirectory=" + folder;
  }
  if (const Value* const folder = table.Find("directory")) {
    read.folder = json::TextAt(*folder, "path");
  }
  if (const Value* const vcs = table.Find("vcs")) {
    read.repository = json::TextAt(*vcs, "url") + json::TextAt(*vcs, "path");
    read.commit = json::TextAt(*vcs, "commit-id");
    read.subfolder = json::TextAt(*vcs, "subdirectory");
  }
  package.hashes.assign(hashes.begin(), hashes.end());
  return read;
}

/// Returns whether a path can refer only to a folder's content.
bool IsInside(const Path& path) {
  const Path normal = path.lexically_normal();
  return !normal.is_absolute() && (normal.empty() || *normal.begin() != "..");
}

bool IsCommit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Returns what is wrong, or "". The values become names of files and arguments of git, and the
/// file may come from a repository.
std::string ProblemOf(const PylockPackage& read) {
  if (std::string problem = read.package.Problem(); !problem.empty()) return problem;
  const std::string name = read.package.name + ": ";
  if (!read.repository.empty() && !IsCommit(read.commit)) {
    return name + "invalid commit '" + Printable(read.commit) + "'";
  }
  if (read.repository.starts_with('-')) return name + "invalid URL of a repository";
  if (IsInside(read.subfolder)) return "";
  return name + "the subdirectory '" + Printable(read.subfolder) + "' is outside of the repository";
}

}  // namespace

Result<std::vector<PylockPackage>> ReadPylock(std::string_view text) {
  auto document = json::ParseToml(text);
  if (!document) return Failure(std::move(document).error().Context("pylock.toml"));
  const std::string version = json::TextAt(*document, "lock-version");
  if (!version.starts_with("1.")) {
    return Fail(ErrorCode::kInvalidArgument,
                "pylock.toml: expected lock-version 1, found '" + Printable(version) + "'",
                "update kinetic");
  }
  std::vector<PylockPackage> packages;
  const Value* const tables = document->Find("packages");
  if (tables == nullptr || tables->AsList() == nullptr) return packages;
  for (const Value& table : *tables->AsList()) {
    packages.push_back(Read(table));
    if (const std::string problem = ProblemOf(packages.back()); !problem.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "pylock.toml: packages: " + problem);
    }
  }
  return packages;
}

}  // namespace kinetic::env
