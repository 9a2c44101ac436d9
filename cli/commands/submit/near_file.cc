#include "commands/submit/near_file.h"

#include "output/text.h"
#include "settings/suggest.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

namespace kinetic::cli {

std::optional<std::string> NearFileHint(const std::filesystem::path& missing,
                                        const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(directory / missing.parent_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) names.push_back(entry->path().filename().string());
  }
  const auto nearest = settings::Nearest(missing.filename().string(), names);
  if (!nearest) return std::nullopt;
  return fmt::format("did you mean '{}'?", SafeLine((missing.parent_path() / *nearest).string()));
}

}  // namespace kinetic::cli
