#include "kinetic/try.h"

#include "base/strings.h"
#include "local/data_cache.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace kinetic::local {
namespace {

char LetterOf(FileType type) {
  switch (type) {
    case FileType::kRegular:
      return 'f';
    case FileType::kDirectory:
      return 'd';
    case FileType::kSymlink:
      return 'l';
    case FileType::kOther:
      break;
  }
  return 'o';
}

std::optional<FileType> TypeOf(std::string_view letter) {
  if (letter == "f") return FileType::kRegular;
  if (letter == "d") return FileType::kDirectory;
  if (letter == "l") return FileType::kSymlink;
  return std::nullopt;
}

Status ScanBelow(FileSystem& fs, const Path& content, const std::string& path,
                 std::vector<DataEntry>& entries) {
  const Path here = path.empty() ? content : content / path;
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(here));
  entries.push_back({path, status});
  if (status.type != FileType::kDirectory) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto found, fs.ReadDirectory(here));
  for (const auto& entry : found) {
    KINETIC_RETURN_IF_ERROR(
        ScanBelow(fs, content, path.empty() ? entry.name : path + "/" + entry.name, entries));
  }
  return {};
}

std::optional<DataEntry> Parse(std::string_view line) {
  DataEntry entry;
  std::vector<std::string_view> words;
  for (int i = 0; i < 4; ++i) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    words.push_back(line.substr(0, space));
    line.remove_prefix(space + 1);
  }
  const auto type = TypeOf(words[0]);
  const auto size = ParseInt(words[1]);
  const auto time = ParseInt(words[2]);
  const auto mode = ParseInt(words[3]);
  if (!type || !size || !time || !mode) return std::nullopt;
  entry.path = line;
  entry.status.type = *type;
  entry.status.size_bytes = static_cast<std::uint64_t>(*size);
  entry.status.mtime_ns = *time;
  entry.status.mode = static_cast<std::uint32_t>(*mode);
  return entry;
}

}  // namespace

Result<std::vector<DataEntry>> ScanData(FileSystem& fs, const Path& content) {
  std::vector<DataEntry> entries;
  KINETIC_RETURN_IF_ERROR(ScanBelow(fs, content, {}, entries));
  return entries;
}

std::string FormatDataEntries(const std::vector<DataEntry>& entries) {
  std::string text;
  for (const DataEntry& entry : entries) {
    text += fmt::format("{} {} {} {} {}", LetterOf(entry.status.type), entry.status.size_bytes,
                        entry.status.mtime_ns, entry.status.mode, entry.path);
    text += '\0';
  }
  return text;
}

Result<std::vector<DataEntry>> ParseDataEntries(std::string_view text) {
  std::vector<DataEntry> entries;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    auto entry = end == std::string_view::npos ? std::nullopt : Parse(text.substr(0, end));
    if (!entry) return Fail(ErrorCode::kDataLoss, "the entry list of cached data is damaged");
    entries.push_back(*std::move(entry));
    text.remove_prefix(end + 1);
  }
  if (!entries.empty()) return entries;
  return Fail(ErrorCode::kDataLoss, "the entry list of cached data is incomplete");
}

}  // namespace kinetic::local
