#include "base/strings.h"
#include "job/submit/checks.h"
#include "record/passed_function.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

std::string_view FirstPart(std::string_view module) { return module.substr(0, module.find('.')); }

const bundle::SourceEntry* FindEntry(std::span<const bundle::SourceEntry> entries,
                                     std::string_view path) {
  const auto found = std::ranges::lower_bound(entries, path, {}, &bundle::SourceEntry::path);
  return found != entries.end() && found->path == path ? &*found : nullptr;
}

/// Returns the prefixes of the paths of modules in the bundle, in order of the search.
std::vector<std::string> ImportPrefixes(std::string_view workdir) {
  std::vector<std::string> prefixes{"", "src/"};
  if (workdir != ".") prefixes.insert(prefixes.begin(), std::string(workdir) + "/");
  return prefixes;
}

/// Returns the folders of the bundle.
std::vector<std::string> FoldersOf(std::span<const bundle::SourceEntry> entries) {
  std::vector<std::string> folders;
  for (const auto& entry : entries) {
    for (std::size_t slash = entry.path.find('/'); slash != std::string::npos;
         slash = entry.path.find('/', slash + 1)) {
      std::string folder = entry.path.substr(0, slash);
      if (folders.empty() || folders.back() != folder) folders.push_back(std::move(folder));
    }
  }
  return folders;
}

std::string PathOf(std::string_view module) {
  std::string path(module);
  std::ranges::replace(path, '.', '/');
  return path;
}

/// Returns the bundle's file with the module's source.
std::optional<std::string> FindModule(std::span<const bundle::SourceEntry> entries,
                                      std::string_view module, std::string_view workdir) {
  const std::string path = PathOf(module);
  for (const std::string& prefix : ImportPrefixes(workdir)) {
    for (const std::string_view suffix : {"/__init__.py", ".py"}) {
      std::string file = prefix + path + std::string(suffix);
      if (FindEntry(entries, file) != nullptr) return file;
    }
  }
  return std::nullopt;
}

/// Returns whether a link leads to the module, or a file that is not Python source has its name.
bool IsUncertain(std::span<const bundle::SourceEntry> entries, std::string_view module,
                 std::string_view workdir) {
  const std::string path = PathOf(module);
  for (const std::string& prefix : ImportPrefixes(workdir)) {
    const std::string whole = prefix + path;
    for (std::size_t end = prefix.size(); end != std::string::npos;) {
      end = whole.find('/', end + 1);
      const auto* entry = FindEntry(entries, whole.substr(0, end));
      if (entry != nullptr && entry->type == BundleEntry::Type::kSymlink) return true;
    }
    const auto named =
        std::ranges::lower_bound(entries, whole + ".", {}, &bundle::SourceEntry::path);
    if (named != entries.end() && named->path.starts_with(whole + ".")) return true;
  }
  return false;
}

}  // namespace

bool HasFolder(std::span<const bundle::SourceEntry> entries, const std::string& folder) {
  if (folder == ".") return true;
  const auto* entry = FindEntry(entries, folder);
  if (entry != nullptr) return entry->type != BundleEntry::Type::kFile;
  const auto found =
      std::ranges::lower_bound(entries, folder + "/", {}, &bundle::SourceEntry::path);
  return found != entries.end() && found->path.starts_with(folder + "/");
}

Error MissingFolder(std::span<const bundle::SourceEntry> entries, const std::string& folder) {
  Error error{ErrorCode::kInvalidArgument,
              "workdir: found " + Printable(folder) + ", which is not a folder of the bundle",
              "'kinetic bundle ls' lists the bundle; workdir is relative to its root",
              {}};
  if (const auto nearest = Nearest(folder, FoldersOf(entries))) {
    error.message += "; did you mean " + Printable(*nearest) + "?";
  }
  return error;
}

Result<ModulePlace> LocateModule(std::span<const bundle::SourceEntry> entries,
                                 std::string_view module, std::string_view workdir) {
  if (module == record::kPassedFunctionModule) return ModulePlace{};
  if (auto file = FindModule(entries, module, workdir)) return ModulePlace{.file = std::move(file)};
  if (IsUncertain(entries, module, workdir)) return ModulePlace{};
  // Python prefers a package with __init__.py to a folder without it, wherever they are.
  if (FindModule(entries, FirstPart(module), workdir))
    return Failure(MissingModule(entries, module));
  return ModulePlace{.file = {}, .is_external = true};
}

Error MissingModule(std::span<const bundle::SourceEntry> entries, std::string_view module) {
  constexpr std::string_view kSuffix = ".py";
  const std::string file = std::string(FirstPart(module)) + std::string(kSuffix);
  std::vector<std::string> modules;
  std::string elsewhere;
  for (const auto& entry : entries) {
    if (!entry.path.ends_with(kSuffix)) continue;
    const std::size_t slash = entry.path.rfind('/');
    if (slash == std::string::npos) {
      modules.push_back(entry.path.substr(0, entry.path.size() - kSuffix.size()));
    } else if (entry.path.substr(slash + 1) == file && elsewhere.empty()) {
      elsewhere = entry.path.substr(0, slash);
    }
  }
  Error error{ErrorCode::kInvalidArgument,
              "function: module " + std::string(module) +
                  " is neither in the bundle nor in the environment",
              "list the bundle with 'kinetic bundle ls'",
              {}};
  if (const auto nearest = Nearest(FirstPart(module), modules)) {
    error.message += "; did you mean " + *nearest + "?";
  } else if (!elsewhere.empty()) {
    error.hint =
        file + " is in " + elsewhere + "; to run the job in that folder, set workdir: " + elsewhere;
  }
  return error;
}

}  // namespace kinetic::job
