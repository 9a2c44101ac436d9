#include "env/cloud_build/source.h"

#include "base/try.h"
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

/// How often others may remove what was just found.
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

/// The context as its ignore file leaves it, and the Dockerfile beside it.
Result<std::vector<oci::Entry>> ArchiveEntries(FileSystem& fs, const ImageOrder& order,
                                               const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto listed,
                           ListContext(fs, order.context, order.ignore_file, stop));
  std::vector<oci::Entry> entries{
      oci::Entry::Folder(std::string(kArchiveContext)),
      oci::Entry::FromFile(std::string(kArchiveDockerfile), order.dockerfile)};
  for (const ContextEntry& entry : listed) {
    // It has been followed here; another one than that which counts would be followed there.
    if (entry.path != kIgnoreFileName) entries.push_back(ToArchive(order.context, entry));
  }
  return entries;
}

Result<Digest> Pack(FileSystem& fs, const ImageOrder& order, const Path& file,
                    const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto entries, ArchiveEntries(fs, order, stop));
  KINETIC_ASSIGN_OR_RETURN(auto sink, oci::FileSink::Create(fs, file));
  const auto write = [&](std::string_view bytes) { return sink.Write(bytes); };
  KINETIC_ASSIGN_OR_RETURN(
      const oci::Layer archive,
      oci::WriteLayer(fs, std::move(entries), ImageCompression::kGzip, write, stop));
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
