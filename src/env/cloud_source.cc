#include "env/cloud_source.h"

#include "base/strings.h"
#include "base/try.h"
#include "oci/file_sink.h"
#include "oci/layer.h"
#include "record/layout.h"
#include "store/sources.h"

#include <optional>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// How often others may remove what was just found.
constexpr int kAttempts = 5;

constexpr std::uint32_t kExecutable = 0111;

/// Collects what lies in a folder.
class ContextWalk {
 public:
  explicit ContextWalk(FileSystem& fs) : fs_(fs) {}

  Status Add(const Path& path, const std::string& name) {
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Lstat(path));
    const std::uint32_t mode = (status.mode & kExecutable) != 0 ? 0755 : 0644;
    switch (status.type) {
      case FileType::kRegular:
        entries_.push_back(oci::Entry::FromFile(name, path, mode));
        return {};
      case FileType::kSymlink: {
        KINETIC_ASSIGN_OR_RETURN(std::string target, fs_.ReadLink(path));
        entries_.push_back(oci::Entry::Symlink(name, std::move(target)));
        return {};
      }
      case FileType::kDirectory:
        entries_.push_back(oci::Entry::Folder(name));
        return AddAllOf(path, name);
      case FileType::kOther:
        break;
    }
    return Fail(ErrorCode::kInvalidArgument,
                Printable(path.native()) + " is neither a file, a folder nor a link",
                "take it out of the folder that the Dockerfile copies from");
  }

  std::vector<oci::Entry> Take() { return std::move(entries_); }

 private:
  Status AddAllOf(const Path& folder, const std::string& name) {
    KINETIC_ASSIGN_OR_RETURN(const auto all, fs_.ReadDirectory(folder));
    for (const auto& entry : all) {
      KINETIC_RETURN_IF_ERROR(Add(folder / entry.name, name + "/" + entry.name));
    }
    return {};
  }

  FileSystem& fs_;
  std::vector<oci::Entry> entries_;
};

Result<Digest> Pack(FileSystem& fs, const ImageOrder& order, const Path& file,
                    const std::stop_token& stop) {
  ContextWalk walk(fs);
  KINETIC_RETURN_IF_ERROR(walk.Add(order.context, std::string(kArchiveContext)));
  KINETIC_RETURN_IF_ERROR(walk.Add(order.dockerfile, std::string(kArchiveDockerfile)));
  KINETIC_ASSIGN_OR_RETURN(auto sink, oci::FileSink::Create(fs, file));
  const auto write = [&](std::string_view bytes) { return sink.Write(bytes); };
  KINETIC_ASSIGN_OR_RETURN(const oci::Layer archive,
                           oci::WriteLayer(fs, walk.Take(), ImageCompression::kGzip, write, stop));
  return archive.blob.digest;
}

/// The generation of an archive that somebody has stored, which gc will leave alone for a while.
Result<std::optional<std::int64_t>> Reuse(store::Store& store, const std::string& name,
                                          const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto found, store.Touch(name, {}, stop));
  return found ? std::optional(found->generation) : std::nullopt;
}

}  // namespace

Result<CloudSource> StoreCloudSource(FileSystem& fs, const ImageOrder& order, store::Store& store,
                                     const Path& scratch, std::stop_token stop) {
  const Path file = scratch / "context.tar.gz";
  KINETIC_ASSIGN_OR_RETURN(const Digest digest, Pack(fs, order, file, stop));
  CloudSource source{.digest = digest, .name = record::BuildSourceName(digest)};
  KINETIC_ASSIGN_OR_RETURN(auto content, store::FileSource::Open(fs, file));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto there, Reuse(store, source.name, stop));
    if (there) {
      source.generation = *there;
      return source;
    }
    KINETIC_RETURN_IF_ERROR(content.Rewind());
    KINETIC_ASSIGN_OR_RETURN(
        const auto put, store.Put(source.name, content, store::Precondition::Absent(), {}, stop));
    if (!put) continue;
    source.generation = put->generation;
    return source;
  }
  return Fail(ErrorCode::kAborted,
              source.name + " in " + store.Location() + ": others keep removing it");
}

}  // namespace kinetic::env
