#include "folder_advice.h"

#include "output/text.h"
#include "settings/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace kinetic::cli {
namespace {

/// The machine-readable fact of errors of the file system.
constexpr std::string_view kErrno = "errno";

/// Returns how much of a folder's path a message names: all of it if it is about the folder or
/// something in it, less if a folder above cannot be created, 0 if it is about something else.
std::size_t LengthNamed(std::string_view message, const std::filesystem::path& folder) {
  const auto names = [&](const std::string& path, char end) {
    return message.find(" " + path + end) != std::string_view::npos;
  };
  const std::string own = SafeLine(folder.native());
  if (names(own, '/') || names(own, ':')) return own.size();
  for (auto parent = folder.parent_path(); parent.has_relative_path();
       parent = parent.parent_path())
    if (names("folder " + SafeLine(parent.native()), ':')) return parent.native().size();
  return 0;
}

}  // namespace

Error WithFolderAdvice(Error error, const Settings& settings) {
  const bool is_of_file =
      std::ranges::any_of(error.details, [](const auto& detail) { return detail.first == kErrno; });
  if (!is_of_file || (!error.hint.empty() && error.code != ErrorCode::kPermissionDenied))
    return error;
  SettingId meant = SettingId::kStateDir;
  std::size_t longest = 0;
  for (const SettingId id : {SettingId::kStateDir, SettingId::kCacheDir, SettingId::kStore}) {
    const std::size_t length = LengthNamed(error.message, settings.Path(id));
    if (length <= longest) continue;
    longest = length;
    meant = id;
  }
  if (longest == 0) return error;
  const std::string& source = settings.Get(meant).source;
  error.hint = fmt::format("{}to use another folder: {} DIR or {}",
                           source.empty() ? "" : source + " sets this folder; ", Info(meant).flag,
                           Info(meant).variable);
  return error;
}

}  // namespace kinetic::cli
