#include "local/outputs.h"

#include "base/strings.h"
#include "base/try.h"
#include "local/away.h"
#include "record/layout.h"
#include "store/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic::local {
namespace {

constexpr int kMaxDepth = 256;
constexpr int kRaces = 5;

/// Whether `path`, with all links resolved, lies in `folder` (resolved as well).
bool IsInside(const Path& path, const Path& folder) {
  std::error_code failed;
  const Path real = std::filesystem::canonical(path, failed);
  if (failed) return false;
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
  return end == folder.end();
}

/// Puts an object, whatever is there.
Status PutWhatever(store::Store& store, store::Source& source, std::string_view name,
                   const std::stop_token& stop) {
  auto precondition = store::Precondition::Absent();
  for (int race = 0; race < kRaces; ++race) {
    KINETIC_ASSIGN_OR_RETURN(const auto put, store.Put(name, source, precondition, {}, stop));
    if (put) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(name, stop));
    precondition =
        there ? store::Precondition::Generation(there->generation) : store::Precondition::Absent();
    KINETIC_RETURN_IF_ERROR(source.Rewind());
  }
  return Fail(ErrorCode::kAborted, fmt::format("storing {}: somebody else writes it too", name));
}

/// Walks one output folder.
class Walk {
 public:
  Walk(store::Store& store, FileSystem& fs, Path folder, std::string_view id, std::stop_token stop)
      : store_(store), fs_(fs), folder_(std::move(folder)), id_(id), stop_(std::move(stop)) {}

  Status Folder(const std::string& relative, int depth) {
    if (depth > kMaxDepth) return LeaveOut(relative, "nested too deep");
    auto entries = fs_.ReadDirectory(folder_ / relative);
    if (!entries) return Refuse(std::move(entries).error());
    std::sort(entries->begin(), entries->end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    for (const auto& entry : *entries) {
      if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped storing outputs");
      const std::string path = relative.empty() ? entry.name : relative + "/" + entry.name;
      KINETIC_RETURN_IF_ERROR(Entry(path, entry.type, depth));
    }
    return {};
  }

  OutputReport report;

 private:
  /// One file that can never be stored (its name is too long, it cannot be read) keeps back no
  /// other.
  Status Refuse(Error error) {
    if (!report.refused) report.refused = std::move(error);
    return {};
  }

  Status Entry(const std::string& path, FileType type, int depth) {
    switch (type) {
      case FileType::kDirectory:
        return Folder(path, depth + 1);
      case FileType::kRegular:
        return File(path);
      case FileType::kSymlink:
        return Link(path);
      case FileType::kOther:
        break;
    }
    return LeaveOut(path, "neither a file nor a folder");
  }

  Status Link(const std::string& path) {
    std::error_code failed;
    if (!IsInside(folder_ / path, folder_)) {
      return LeaveOut(path, "leads out of the output folder, or to nothing");
    }
    if (std::filesystem::is_regular_file(folder_ / path, failed)) return File(path);
    return LeaveOut(path, "leads to a folder, which is stored under its own name");
  }

  Status File(const std::string& path) {
    std::error_code failed;
    const std::uint64_t bytes = std::filesystem::file_size(folder_ / path, failed);
    auto source = store::FileSource::Open(fs_, folder_ / path);
    if (!source) return Refuse(std::move(source).error());
    auto stored = PutWhatever(store_, *source, record::OutputName(id_, ObjectPath(path)), stop_);
    if (!stored && !IsAway(stored.error()) && stored.error().code != ErrorCode::kCancelled) {
      return Refuse(std::move(stored).error());
    }
    KINETIC_RETURN_IF_ERROR(stored);
    ++report.files;
    if (!failed) report.bytes += bytes;
    return {};
  }

  Status LeaveOut(const std::string& path, std::string_view why) {
    report.left_out.push_back(fmt::format("{}: {}", Printable(path), why));
    return {};
  }

  store::Store& store_;
  FileSystem& fs_;
  const Path folder_;
  const std::string_view id_;
  const std::stop_token stop_;
};

}  // namespace

std::string ObjectPath(std::string_view path) {
  const bool text = IsUtf8(path);
  std::string name;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte != 0x7F && byte != '%' && (text || byte < 0x80);
    if (plain) {
      name += c;
    } else {
      name += fmt::format("%{:02X}", byte);
    }
  }
  return name;
}

Status StoreFile(store::Store& store, FileSystem& fs, const Path& file, std::string_view name,
                 std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(store::FileSource source, store::FileSource::Open(fs, file));
  return PutWhatever(store, source, name, stop);
}

Result<OutputReport> StoreOutputs(store::Store& store, FileSystem& fs, const Path& folder,
                                  std::string_view id, std::stop_token stop) {
  std::error_code failed;
  const Path real = std::filesystem::canonical(folder, failed);
  if (failed) return OutputReport{};
  Walk walk(store, fs, real, id, std::move(stop));
  KINETIC_RETURN_IF_ERROR(walk.Folder({}, 0));
  return std::move(walk.report);
}

}  // namespace kinetic::local
