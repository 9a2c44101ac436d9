#include "env/install/record_file.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <cstdint>
#include <string_view>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxRecordBytes = 64U << 20;

/// Removes the quotes of a path with a comma.
std::string Unquoted(std::string path) {
  if (path.size() < 2 || !path.starts_with('"') || !path.ends_with('"')) return path;
  path = path.substr(1, path.size() - 2);
  for (auto at = path.find("\"\""); at != std::string::npos; at = path.find("\"\"", at + 1)) {
    path.erase(at, 1);
  }
  return path;
}

}  // namespace

Result<std::vector<RecordedFile>> ReadRecordFile(FileSystem& fs, const Path& info) {
  KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadFile(fs, info / "RECORD", kMaxRecordBytes));
  std::vector<RecordedFile> files;
  for (const auto untrimmed : Split(text, '\n')) {
    const std::string_view line = Trim(untrimmed);  // path,sha256=…,size
    const auto size = line.rfind(',');
    if (size == std::string_view::npos || size == 0) continue;
    const auto hash = line.rfind(',', size - 1);
    if (hash == std::string_view::npos) continue;
    const std::string_view sum = line.substr(hash + 1);
    files.push_back({Unquoted(std::string(line.substr(0, hash))),
                     std::string(sum.starts_with("sha256=") ? sum : "")});
  }
  return files;
}

}  // namespace kinetic::env
