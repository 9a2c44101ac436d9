#include "kinetic/try.h"

#include "env/cloud_build/build_io.h"
#include "env/dockerfile/build_context.h"
#include "oci/layer/byte_sink.h"
#include "oci/layer/writer.h"
#include "record/object_names.h"
#include "store/source.h"

#include <optional>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// Maximum number of attempts if other clients remove the archive.
constexpr int kAttempts = 5;

constexpr std::uint32_t kExecutable = 0111;

std::uint32_t ModeOf(const FileStatus& status) {
  return (status.mode & kExecutable) != 0 ? 0755 : 0644;
}

oci::Entry ToArchive(const Path& context, const ContextEntry& entry) {
  std::string name = std::string(kArchiveContext) + "/" + entry.path;
  switch (entry.status.type) {
    case FileType::kDirectory:
      return oci::Entry::Folder(std::move(name));
    case FileType::kSymlink:
      return oci::Entry::Symlink(std::move(name), entry.link_target);
    default:
      return oci::Entry::FromFile(std::move(name), context / entry.path, ModeOf(entry.status));
  }
}

/// Returns the entries of the context that are not ignored, and the Dockerfile.
Result<std::vector<oci::Entry>> ArchiveEntries(FileSystem& fs, const ImageBuildRequest& request,
                                               const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto listed,
                           ListContext(fs, request.context, request.ignore_file, stop));
  std::vector<oci::Entry> entries{
      oci::Entry::Folder(std::string(kArchiveContext)),
      oci::Entry::FromFile(std::string(kArchiveDockerfile), request.dockerfile)};
  for (const ContextEntry& entry : listed) {
    // The ignore file is already applied. The service would apply it even if another one is in use.
    if (entry.path != kIgnoreFileName) entries.push_back(ToArchive(request.context, entry));
  }
  return entries;
}

Result<Digest> Pack(FileSystem& fs, const ImageBuildRequest& request, const Path& file,
                    const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto entries, ArchiveEntries(fs, request, stop));
  KINETIC_ASSIGN_OR_RETURN(auto sink, oci::FileSink::Create(fs, file));
  const auto write = [&](std::string_view bytes) { return sink.Write(bytes); };
  KINETIC_ASSIGN_OR_RETURN(
      const oci::Layer archive,
      oci::WriteLayer(fs, std::move(entries), ImageCompression::kGzip, write, stop));
  return archive.blob.digest;
}

/// Touches a stored archive and returns its generation.
Result<std::optional<std::int64_t>> Reuse(store::Store& store, const std::string& name,
                                          const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto found, store.Touch(name, {}, stop));
  return found ? std::optional(found->generation) : std::nullopt;
}

}  // namespace

Result<BuildSource> UploadBuildSource(FileSystem& fs, const ImageBuildRequest& request,
                                      store::Store& store, const Path& scratch,
                                      std::stop_token stop) {
  const Path file = scratch / "context.tar.gz";
  KINETIC_ASSIGN_OR_RETURN(const Digest digest, Pack(fs, request, file, stop));
  BuildSource source{.digest = digest, .name = record::BuildSourceName(digest)};
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
  return Fail(ErrorCode::kAborted, "cannot store " + source.name + " in " + store.Location() +
                                       ": other clients keep removing it");
}

}  // namespace kinetic::env
