#include "kinetic/try.h"

#include "base/strings.h"
#include "local/follow_path.h"
#include "local/outputs.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace kinetic::local {
namespace {

constexpr int kMaxDepth = 256;

/// Returns whether an object name may contain the byte unescaped.
bool IsPlain(unsigned char byte, bool text) {
  return byte >= 0x20 && byte != 0x7F && byte != '%' && (text || byte < 0x80);
}

/// Walks one output folder.
class OutputWalk {
 public:
  OutputWalk(const ProgramFiles& files, const Path& folder, std::string_view name,
             std::stop_token stop)
      : files_(files), fs_(files.fs()), folder_(folder), name_(name), stop_(std::move(stop)) {}

  Status Folder(const std::string& relative, int depth) {
    if (depth > kMaxDepth) return Skip(relative, "nested too deeply");
    if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped while scanning files");
    auto entries = fs_.ReadDirectory(In(relative));
    if (!entries) return Unlistable(relative, std::move(entries).error());
    std::ranges::sort(*entries, {}, &DirectoryEntry::name);
    std::vector<std::string> files;
    for (const auto& entry : *entries) {
      if (entry.type == FileType::kRegular) files.push_back(entry.name);
    }
    auto statuses = fs_.LstatAll(In(relative), files);
    if (!statuses) return RecordFailure(std::move(statuses).error());
    std::size_t next_file = 0;
    for (const auto& entry : *entries) {
      const std::string path = relative.empty() ? entry.name : relative + "/" + entry.name;
      if (entry.type != FileType::kRegular) {
        KINETIC_RETURN_IF_ERROR(Other(path, entry.type, depth));
      } else if (const auto& status = (*statuses)[next_file++]; status) {
        KINETIC_RETURN_IF_ERROR(File({path, *status, {}}));
      }
    }
    return {};
  }

  OutputScan scan;

 private:
  Path In(const std::string& relative) const {
    return relative.empty() ? folder_ : folder_ / relative;
  }

  /// Records the first failure. The other files are stored nevertheless.
  Status RecordFailure(Error error) {
    if (!scan.failure) scan.failure = std::move(error);
    return {};
  }

  Status Unlistable(const std::string& relative, Error error) {
    if (error.code == ErrorCode::kPermissionDenied) {
      const auto status = fs_.Lstat(In(relative));
      const bool foreign = status && (status->owner != ::geteuid() || !files_.MayRead(*status));
      if (foreign) return Skip(relative, kUnreadable);
    }
    return RecordFailure(std::move(error));
  }

  Status File(ScannedOutput file) {
    if (!MayRead(file)) return Skip(file.path, kUnreadable);
    scan.files.push_back(std::move(file));
    return {};
  }

  /// A file of another user that this process may not read either is one to skip; an own file that
  /// cannot be read is a failure, which storing it reports.
  bool MayRead(const ScannedOutput& file) const {
    if (!files_.MayRead(file.status)) return false;
    constexpr std::uint32_t kOthersMayRead = 0004;
    if (file.status.owner == ::geteuid() || (file.status.mode & kOthersMayRead) != 0) return true;
    const auto opened = fs_.Open(In(file.content()), OpenMode::kRead, 0);
    return opened || opened.error().code != ErrorCode::kPermissionDenied;
  }

  Status Other(const std::string& path, FileType type, int depth) {
    if (type == FileType::kDirectory) return Folder(path, depth + 1);
    if (type == FileType::kSymlink) return Link(path);
    return Skip(path, "neither a file nor a folder");
  }

  Status Link(const std::string& path) {
    const auto destination = FollowPath(fs_, folder_, path);
    if (!destination || destination->path.empty()) {
      return Skip(path, fmt::format("points outside the {}, or to a missing file", name_));
    }
    const FileType type = destination->status.type;
    if (type == FileType::kRegular) return File({path, destination->status, destination->path});
    if (type != FileType::kDirectory) return Skip(path, "points to neither a file nor a folder");
    scan.files.push_back({path, destination->status, destination->path});
    return {};
  }

  Status Skip(const std::string& path, std::string_view why) {
    scan.skipped.push_back(fmt::format("{}: {}", Printable(path), why));
    return {};
  }

  static constexpr std::string_view kUnreadable = "belongs to another user and cannot be read";

  const ProgramFiles& files_;
  FileSystem& fs_;
  const Path& folder_;
  const std::string_view name_;
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
  const bool same_content =
      status.type == FileType::kDirectory ||
      (status.size_bytes == other.status.size_bytes && status.mtime_ns == other.status.mtime_ns &&
       status.ctime_ns == other.status.ctime_ns && status.inode == other.status.inode);
  return path == other.path && destination == other.destination &&
         status.type == other.status.type && same_content;
}

Result<OutputScan> ScanOutputs(const ProgramFiles& files, const Path& folder, std::stop_token stop,
                               std::string_view name) {
  OutputWalk walk(files, folder, name, std::move(stop));
  const auto status = files.fs().Lstat(folder);
  if (!status && status.error().code == ErrorCode::kNotFound) return std::move(walk.scan);
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
