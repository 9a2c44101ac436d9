#include "kinetic/try.h"

#include "base/strings.h"
#include "local/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::local {
namespace {

constexpr int kMaxDepth = 256;

/// Returns whether `path`, with all links resolved, is in `folder` (also resolved).
bool IsInside(const Path& path, const Path& folder) {
  std::error_code failed;
  const Path real = std::filesystem::canonical(path, failed);
  if (failed) return false;
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
  return end == folder.end();
}

/// Returns whether an object name may contain the byte unescaped.
bool IsPlain(unsigned char byte, bool text) {
  return byte >= 0x20 && byte != 0x7F && byte != '%' && (text || byte < 0x80);
}

/// Walks one output folder.
class OutputWalk {
 public:
  OutputWalk(FileSystem& fs, Path folder, std::stop_token stop)
      : fs_(fs), folder_(std::move(folder)), stop_(std::move(stop)) {}

  Status Folder(const std::string& relative, int depth) {
    if (depth > kMaxDepth) return Skip(relative, "nested too deeply");
    if (stop_.stop_requested())
      return Fail(ErrorCode::kCancelled, "stopped while scanning outputs");
    auto entries = fs_.ReadDirectory(folder_ / relative);
    if (!entries) return RecordFailure(std::move(entries).error());
    std::ranges::sort(*entries, {}, &DirectoryEntry::name);
    std::vector<std::string> files;
    for (const auto& entry : *entries) {
      if (entry.type == FileType::kRegular) files.push_back(entry.name);
    }
    auto statuses = fs_.LstatAll(folder_ / relative, files);
    if (!statuses) return RecordFailure(std::move(statuses).error());
    std::size_t next_file = 0;
    for (const auto& entry : *entries) {
      const std::string path = relative.empty() ? entry.name : relative + "/" + entry.name;
      if (entry.type != FileType::kRegular) {
        KINETIC_RETURN_IF_ERROR(Other(path, entry.type, depth));
      } else if (const auto& status = (*statuses)[next_file++]; status) {
        scan.files.push_back({path, *status});
      }
    }
    return {};
  }

  OutputScan scan;

 private:
  /// Records the first failure. The other files are stored nevertheless.
  Status RecordFailure(Error error) {
    if (!scan.failure) scan.failure = std::move(error);
    return {};
  }

  Status Other(const std::string& path, FileType type, int depth) {
    if (type == FileType::kDirectory) return Folder(path, depth + 1);
    if (type == FileType::kSymlink) return Link(path);
    return Skip(path, "neither a file nor a folder");
  }

  Status Link(const std::string& path) {
    if (!IsInside(folder_ / path, folder_)) {
      return Skip(path, "points outside the output folder, or to a missing file");
    }
    std::error_code failed;
    if (!std::filesystem::is_regular_file(folder_ / path, failed)) {
      return Skip(path, "points to a folder, which is stored under its own name");
    }
    const auto opened = fs_.Open(folder_ / path, OpenMode::kRead, 0);
    if (!opened) return RecordFailure(opened.error());
    const auto status = fs_.Fstat(opened->get());
    if (!status) return RecordFailure(status.error());
    scan.files.push_back({path, *status});
    return {};
  }

  Status Skip(const std::string& path, std::string_view why) {
    scan.skipped.push_back(fmt::format("{}: {}", Printable(path), why));
    return {};
  }

  FileSystem& fs_;
  const Path folder_;
  const std::stop_token stop_;
};

std::optional<unsigned char> ParseEscape(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (text.size() < 3 || text[0] != '%') return std::nullopt;
  const std::size_t high = kDigits.find(text[1]);
  const std::size_t low = kDigits.find(text[2]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned char>(high * 16 + low);
}

}  // namespace

bool ScannedOutput::IsSame(const ScannedOutput& other) const {
  return path == other.path && status.size_bytes == other.status.size_bytes &&
         status.mtime_ns == other.status.mtime_ns && status.ctime_ns == other.status.ctime_ns &&
         status.inode == other.status.inode;
}

Result<OutputScan> ScanOutputs(FileSystem& fs, const Path& folder, std::stop_token stop) {
  std::error_code failed;
  const Path real = std::filesystem::canonical(folder, failed);
  if (failed) return OutputScan{};
  OutputWalk walk(fs, real, std::move(stop));
  KINETIC_RETURN_IF_ERROR(walk.Folder({}, 0));
  return std::move(walk.scan);
}

std::string EncodeObjectPath(std::string_view path) {
  const bool text = IsUtf8(path);
  std::string name;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsPlain(byte, text)) {
      name += c;
    } else {
      name += fmt::format("%{:02X}", byte);
    }
  }
  return name;
}

std::string DecodeObjectPath(std::string_view object_path) {
  std::string path;
  while (!object_path.empty()) {
    const auto byte = ParseEscape(object_path);
    const bool escaped = byte && *byte != 0 && !IsPlain(*byte, false);
    path += escaped ? static_cast<char>(*byte) : object_path.front();
    object_path.remove_prefix(escaped ? 3 : 1);
  }
  return path;
}

}  // namespace kinetic::local
