#include "commands/submit/missing_file.h"

#include "context.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace kinetic::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the name in quotes at the end of a message: "No module named 'x'".
std::string_view QuotedEnd(std::string_view message) {
  const std::size_t begin = message.find('\'') + 1;
  if (!message.ends_with('\'') || begin >= message.size()) return {};
  return message.substr(begin, message.size() - 1 - begin);
}

/// Returns the paths of which one would have prevented an exception.
std::vector<fs::path> MissingFiles(const RemoteException& exception) {
  const std::string name(QuotedEnd(exception.message));
  if (name.empty()) return {};
  if (exception.type == "FileNotFoundError") return {fs::path(name).lexically_normal()};
  if (exception.type != "ModuleNotFoundError") return {};
  const std::string module = name.substr(0, name.find('.'));
  return {module + ".py", module};
}

bool IsData(const fs::path& path, const JobSpec& spec) {
  return std::ranges::any_of(spec.data, [&](const auto& data) {
    const fs::path rest = path.lexically_relative(fs::path(data.first).lexically_normal());
    return !rest.empty() && *rest.begin() != "..";
  });
}

bool IsSent(const std::string& path, const BundleListing& bundle) {
  return std::ranges::any_of(bundle.entries, [&](const BundleEntry& entry) {
    return entry.path == path || entry.path.starts_with(path + "/");
  });
}

/// Returns the folder of this machine that corresponds to the job's folder.
fs::path FolderOf(const JobSpec& spec, const fs::path& root) {
  return spec.workdir.empty() ? spec.directory : (root / spec.workdir).lexically_normal();
}

}  // namespace

std::optional<std::string> AdviceOnMissingFile(const Outcome& outcome, const JobSpec& spec,
                                               Client& client, const Context& context) {
  if (!outcome.exception) return std::nullopt;
  std::vector<fs::path> missing = MissingFiles(*outcome.exception);
  std::erase_if(missing,
                [&](const fs::path& path) { return path.is_absolute() || IsData(path, spec); });
  if (missing.empty()) return std::nullopt;
  const auto bundle = client.ListBundle(spec, context.stop);
  if (!bundle) return std::nullopt;
  for (const fs::path& path : missing) {
    const fs::path here = FolderOf(spec, bundle->root) / path;
    const std::string name = here.lexically_relative(bundle->root).string();
    std::error_code ignored;
    if (name.starts_with("..") || !fs::exists(here, ignored) || IsSent(name, *bundle)) continue;
    return fmt::format(
        "{} exists here, but an ignore rule excludes it from the bundle; name its folder under "
        "'data' in the job file, or include it with a '!' rule in .kineticignore",
        name);
  }
  return std::nullopt;
}

}  // namespace kinetic::cli
