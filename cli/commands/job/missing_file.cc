#include "commands/job/missing_file.h"

#include "context.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace kinetic::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the file that an exception is about, or an empty path: "[Errno 2] …: 'data/a.csv'".
fs::path MissingFile(const RemoteException& exception) {
  const std::string_view message = exception.message;
  if (exception.type != "FileNotFoundError" || !message.ends_with('\'')) return {};
  const std::size_t begin = message.find('\'') + 1;
  return begin < message.size() ? message.substr(begin, message.size() - 1 - begin) : "";
}

bool IsData(const fs::path& path, const JobSpec& spec) {
  return std::ranges::any_of(spec.data, [&](const auto& data) {
    const fs::path rest = path.lexically_relative(fs::path(data.first).lexically_normal());
    return !rest.empty() && *rest.begin() != "..";
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
  const fs::path missing = MissingFile(*outcome.exception).lexically_normal();
  std::error_code ignored;
  if (missing.empty() || missing.is_absolute() || IsData(missing, spec)) return std::nullopt;
  const auto bundle = client.ListBundle(spec, context.stop);
  if (!bundle) return std::nullopt;
  const fs::path here = FolderOf(spec, bundle->root) / missing;
  const std::string path = here.lexically_relative(bundle->root).string();
  if (path.starts_with("..") || !fs::exists(here, ignored)) return std::nullopt;
  const bool is_sent = std::ranges::any_of(bundle->entries, [&](const BundleEntry& entry) {
    return entry.path == path || entry.path.starts_with(path + "/");
  });
  if (is_sent) return std::nullopt;
  return fmt::format(
      "{} exists here, but an ignore rule keeps it out of the bundle; name its folder under 'data' "
      "in the job file, or include it with a '!' rule in .kineticignore",
      path);
}

}  // namespace kinetic::cli
