#include "base/strings.h"
#include "bundle/source/root.h"
#include "job/submit/checks.h"
#include "jobspec/diagnostics.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

/// Returns whether `path` is an entry or a parent folder of one. Entries are sorted by path.
bool IsBundled(const std::vector<bundle::SourceEntry>& entries, const std::string& path) {
  if (path.empty() || path == ".") return true;
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), path,
                       [](const bundle::SourceEntry& entry, const std::string& wanted) {
                         return entry.path < wanted;
                       });
  if (found != entries.end() && found->path == path) return true;
  const std::string folder = path + "/";
  const auto inside =
      std::lower_bound(entries.begin(), entries.end(), folder,
                       [](const bundle::SourceEntry& entry, const std::string& wanted) {
                         return entry.path < wanted;
                       });
  return inside != entries.end() && inside->path.starts_with(folder);
}

/// A `$path` argument, with its location in the job file, "args.data".
using PathArgument = std::pair<std::string, std::string>;

/// Adds the `$path` arguments of a value, at any depth.
void CollectPaths(const Value& value, const std::string& where, std::vector<PathArgument>& paths) {
  if (const auto* list = value.AsList()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      CollectPaths((*list)[i], where + "[" + std::to_string(i) + "]", paths);
    }
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return;
  const Value* path = value.Find("$path");
  if (map->size() == 1 && path != nullptr && path->AsString() != nullptr) {
    paths.emplace_back(where, *path->AsString());
    return;
  }
  for (const auto& [key, item] : *map) CollectPaths(item, where + "." + key, paths);
}

std::vector<PathArgument> PathsOf(const Arguments& arguments) {
  std::vector<PathArgument> paths;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    CollectPaths(arguments.positional[i], "args[" + std::to_string(i) + "]", paths);
  }
  for (const auto& [name, value] : arguments.named) CollectPaths(value, "args." + name, paths);
  return paths;
}

/// Returns the local path of a missing file below an entry of `data`. Returns nullopt if its source
/// is not local or is missing itself, which is reported for the source.
std::optional<Path> FindMissingInData(FileSystem& fs, const JobSpec& spec, const Path& path) {
  std::optional<Path> lacking;
  for (const auto& [name, data] : spec.data) {
    const Path rest = path.lexically_relative(name);
    if (rest.empty() || *rest.begin() == "..") continue;
    const Path source = spec.directory / data.source;
    const bool elsewhere = data.source.find("://") != std::string::npos;
    if (elsewhere || rest == "." || fs.Lstat(source / rest) || !fs.Lstat(source)) return {};
    lacking = source / rest;
  }
  return lacking;
}

/// Returns the script of a command such as "python3 train.py", or an empty path.
Path ScriptOf(const JobSpec& spec) {
  if (!spec.run || spec.run->argv.size() < 2) return {};
  const Path script = spec.run->argv[1];
  const bool is_python = Path(spec.run->argv[0]).filename().native().starts_with("python");
  return is_python && script.extension() == ".py" && script.is_relative() ? script : Path();
}

constexpr std::string_view kExcludedHint =
    "'kinetic bundle ls' lists the bundle; .gitignore, .kineticignore and bundle.exclude exclude "
    "paths";

/// Checks a script that exists but is not an entry of the bundle: links may lead to one that is.
Status CheckLinkedScript(FileSystem& fs, const bundle::SourceTree& source, const Path& path,
                         const std::string& failed) {
  const auto target = bundle::ResolvePath(fs, source.root / path);
  if (target && !bundle::IsWithin(*target, source.root))
    return Fail(
        ErrorCode::kInvalidArgument,
        failed + ": a link leads to " + Printable(target->native()) + ", outside of the bundle",
        "copy the file into the project, or select a root that contains both with --root");
  if (target && IsBundled(source.entries, target->lexically_relative(source.root).native()))
    return {};
  return Fail(ErrorCode::kInvalidArgument, failed + ": it is excluded from the bundle",
              std::string(kExcludedHint));
}

}  // namespace

std::optional<std::string> BundledScript(const JobSpec& spec, const bundle::SourceTree& source) {
  const Path script = ScriptOf(spec);
  // The syntax of Python 2 is another one.
  const bool is_old = script.empty() || spec.run->argv[0].find("python2") != std::string::npos;
  if (is_old) return std::nullopt;
  std::string path = (spec.workdir / script).lexically_normal().generic_string();
  const auto found = std::ranges::lower_bound(source.entries, path, {}, &bundle::SourceEntry::path);
  const bool is_file = found != source.entries.end() && found->path == path &&
                       found->type == BundleEntry::Type::kFile;
  return is_file ? std::optional(std::move(path)) : std::nullopt;
}

Status CheckScript(FileSystem& fs, const JobSpec& spec, const bundle::SourceTree& source) {
  const Path script = ScriptOf(spec);
  if (script.empty()) return {};
  const Path path = (spec.workdir / script).lexically_normal();
  const std::string failed = "cannot run " + Printable(script.native());
  if (*path.begin() == "..") {
    return Fail(ErrorCode::kInvalidArgument,
                failed + ": it is outside of the bundle's root " + Printable(source.root.native()),
                "run kinetic in the script's folder, or select a root that contains it with "
                "--root");
  }
  if (IsBundled(source.entries, path.generic_string())) return {};
  if (fs.Lstat(source.root / path)) return CheckLinkedScript(fs, source, path, failed);
  if (!fs.Lstat(spec.directory / script)) return {};
  const Path folder =
      spec.workdir == "." ? source.root : (source.root / spec.workdir).lexically_normal();
  return Fail(ErrorCode::kInvalidArgument,
              failed + ": it is not in " + Printable(folder.native()) + ", the job's folder",
              "select a root that contains the script with --root, and its folder with `workdir`");
}

Status CheckPaths(FileSystem& fs, const JobSpec& spec, const bundle::SourceTree& source) {
  std::vector<std::string> problems;
  for (const auto& [where, path] : PathsOf(spec.args)) {
    std::string plain = Path(path).lexically_normal().generic_string();
    if (plain.ends_with('/')) plain.pop_back();
    if (plain.starts_with('/')) {
      if (const auto lacking = FindMissingInData(fs, spec, plain))
        problems.push_back(jobspec::KeyWithPosition(spec, where) + ": found $path " +
                           Printable(path) + ", but there is no " + Printable(lacking->native()) +
                           ", expected a path below data");
      continue;
    }
    if (IsBundled(source.entries, plain)) continue;
    const bool there = fs.Lstat(source.root / plain).has_value();
    problems.push_back(jobspec::KeyWithPosition(spec, where) + ": found $path " + Printable(path) +
                       (there ? ", which is excluded from the bundle, expected a path in the bundle"
                              : ", which does not exist, expected a path in the bundle"));
  }
  if (problems.empty()) return {};
  return Failure(
      Error{ErrorCode::kInvalidArgument, Join(problems, "\n"), std::string(kExcludedHint), {}}.With(
          "errors", std::to_string(problems.size())));
}

}  // namespace kinetic::job
