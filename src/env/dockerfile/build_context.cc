#include "env/dockerfile/build_context.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/source/file_reader.h"
#include "bundle/write/stat_cache.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxIgnoreBytes = 16U << 20;

class ContextWalk {
 public:
  ContextWalk(FileSystem& fs, DockerIgnore ignore, const std::stop_token& stop)
      : fs_(fs), ignore_(std::move(ignore)), stop_(stop) {}

  Status AddFolder(const Path& folder, const std::string& prefix) {
    if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped while listing files");
    KINETIC_ASSIGN_OR_RETURN(const auto all, fs_.ReadDirectory(folder));
    for (const auto& entry : all) {
      KINETIC_RETURN_IF_ERROR(Add(folder / entry.name, prefix + entry.name));
    }
    return {};
  }

  std::vector<ContextEntry> SortedEntries() {
    std::ranges::sort(entries_, {}, &ContextEntry::path);
    return std::move(entries_);
  }

 private:
  Status Add(const Path& path, const std::string& name) {
    const bool excluded = ignore_.Excludes(name);
    if (excluded && !ignore_.HasExceptions()) return {};
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Lstat(path));
    const bool is_folder = status.type == FileType::kDirectory;
    if (!excluded) {
      KINETIC_ASSIGN_OR_RETURN(auto entry, Entry(path, name, status));
      entries_.push_back(std::move(entry));
    }
    return is_folder ? AddFolder(path, name + "/") : Status();
  }

  Result<ContextEntry> Entry(const Path& path, const std::string& name, const FileStatus& status) {
    ContextEntry entry{.path = name, .status = status, .link_target = {}};
    if (status.type == FileType::kSymlink) {
      KINETIC_ASSIGN_OR_RETURN(entry.link_target, fs_.ReadLink(path));
    } else if (status.type == FileType::kOther) {
      return Fail(ErrorCode::kInvalidArgument,
                  Printable(path.native()) + " is not a file, folder or link",
                  "remove it from the build context, or add it to " + std::string(kIgnoreFileName));
    }
    return entry;
  }

  FileSystem& fs_;
  const DockerIgnore ignore_;
  const std::stop_token& stop_;
  std::vector<ContextEntry> entries_;
};

/// Returns the regular files of a context as a source tree.
bundle::SourceTree RegularFiles(const Path& context, const std::vector<ContextEntry>& entries) {
  bundle::SourceTree tree{.root = context, .root_reason = {}, .entries = {}, .warnings = {}};
  for (const ContextEntry& entry : entries) {
    if (entry.status.type != FileType::kRegular) continue;
    bundle::SourceEntry& file = tree.entries.emplace_back();
    file.path = entry.path;
    file.status = entry.status;
  }
  return tree;
}

/// Returns the digests of the files in order.
Result<std::vector<Digest>> HashFiles(FileSystem& fs, const bundle::SourceTree& files,
                                      bundle::StatCache& cache, const std::stop_token& stop) {
  std::vector<Digest> digests;
  for (const auto& file : files.entries) {
    if (const auto known = cache.Find(file.path, file.status)) {
      digests.push_back(*known);
      continue;
    }
    std::string dropped;
    KINETIC_ASSIGN_OR_RETURN(const auto content, bundle::HashFile(fs, files, file, dropped, stop));
    if (content.changed) return bundle::FileChangedError(file);
    cache.Insert(file.path, content.status, content.digest);
    digests.push_back(content.digest);
  }
  return digests;
}

}  // namespace

Path FindIgnoreFile(FileSystem& fs, const Path& context, const Path& dockerfile) {
  Path own = dockerfile;
  own += kIgnoreFileName;
  for (const Path& path : std::array{own, context / kIgnoreFileName}) {
    const auto status = fs.Lstat(path);
    if (status && status->type != FileType::kDirectory) return path;
  }
  return {};
}

Result<std::vector<ContextEntry>> ListContext(FileSystem& fs, const Path& context,
                                              const Path& ignore_file, std::stop_token stop) {
  DockerIgnore ignore;
  if (!ignore_file.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const std::string text,
                             ReadRegularFile(fs, ignore_file, kMaxIgnoreBytes));
    ignore = DockerIgnore::Parse(text);
  }
  ContextWalk walk(fs, std::move(ignore), stop);
  KINETIC_RETURN_IF_ERROR(walk.AddFolder(context, {}));
  return walk.SortedEntries();
}

Result<Digest> HashContext(FileSystem& fs, Clock& clock, const Path& context,
                           const std::vector<ContextEntry>& entries, const Path& cache,
                           std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto known, bundle::StatCache::Load(fs, cache, clock.Now()));
  const bundle::SourceTree files = RegularFiles(context, entries);
  KINETIC_ASSIGN_OR_RETURN(const auto digests, HashFiles(fs, files, known, stop));
  Sha256 hash;
  auto digest = digests.begin();
  const auto add = [&](std::string_view field) {
    hash.Update(std::to_string(field.size()) + ":");
    hash.Update(field);
  };
  for (const ContextEntry& entry : entries) {
    add(entry.path);
    if (entry.status.type == FileType::kRegular) {
      add(entry.IsExecutable() ? "program" : "file");
      add((digest++)->View());
    } else {
      add(entry.status.type == FileType::kSymlink ? "link" : "folder");
      add(entry.link_target);
    }
  }
  // The cache is optional.
  (void)known.Save(fs);
  return hash.Finish();
}

}  // namespace kinetic::env
