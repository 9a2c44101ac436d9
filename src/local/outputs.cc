#include "local/outputs.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/hash/crc32c.h"
#include "base/strings.h"
#include "record/object_names.h"
#include "store/object_store.h"
#include "store/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kinetic::local {
namespace {

constexpr int kMaxAttempts = 5;
constexpr std::size_t kUploadThreads = 8;

/// Returns whether an object has the content of `source`; false if the store keeps no checksum.
Result<bool> HasContent(const store::ObjectInfo& object, store::Source& source,
                        const store::Metadata& metadata) {
  if (object.metadata != metadata) return false;
  if (object.crc32c.empty() || object.size_bytes != source.size_bytes()) return false;
  KINETIC_RETURN_IF_ERROR(source.Rewind());
  Crc32c checksum;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::string_view piece, source.Next());
    if (piece.empty()) return checksum.Base64() == object.crc32c;
    checksum.Update(piece);
  }
}

/// The code of a file that is missing or unreadable must not be mistaken for one of the store.
Failure FileFailure(Error error) {
  error.code = ErrorCode::kFailedPrecondition;
  return Failure(std::move(error));
}

/// Returns whether every store can hold an object of this name.
bool IsShort(std::string_view name) {
  constexpr std::size_t kPartBytes = 255;  // the limit of file systems
  return name.size() <= store::kNameBytes &&
         std::ranges::all_of(Split(name, '/'), [](auto part) { return part.size() <= kPartBytes; });
}

}  // namespace

Status SkipUnstorable(store::Store& store, std::string_view id, OutputScan& scan,
                      const std::stop_token& stop) {
  std::vector<ScannedOutput> storable;
  for (ScannedOutput& file : scan.files) {
    const std::string name = record::OutputName(id, EncodeObjectPath(file.path));
    const auto found =
        IsShort(name) ? Result<std::optional<store::ObjectInfo>>() : store.Stat(name, stop);
    if (found) {
      storable.push_back(std::move(file));
    } else if (found.error().code == ErrorCode::kInvalidArgument) {
      scan.skipped.push_back(Printable(file.path) + ": its name is too long for the store");
    } else {
      return Failure(found.error());
    }
  }
  scan.files = std::move(storable);
  return {};
}

bool IsSingleFileError(const Error& error) {
  return !store::IsStoreUnavailable(error) && error.code != ErrorCode::kCancelled;
}

Result<store::ObjectInfo> StoreSource(store::Store& store, const OpenSource& open,
                                      const FileObject& object, const std::stop_token& stop) {
  const auto& [name, metadata, known] = object;
  auto precondition =
      known ? store::Precondition::Generation(known->generation) : store::Precondition::Absent();
  for (int race = 1; race <= kMaxAttempts; ++race) {
    const auto source = open();
    if (!source) return FileFailure(source.error());
    auto put = store.Put(name, **source, precondition, {.metadata = metadata, .lease = {}}, stop);
    // The file changed while it was read.
    if (!put && put.error().code == ErrorCode::kAborted && race < kMaxAttempts) continue;
    if (!put) return Failure(std::move(put).error());
    if (*put) return **std::move(put);
    KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(name, stop));
    if (there) {
      // Stored by a supervisor that was killed afterwards.
      KINETIC_ASSIGN_OR_RETURN(const bool same, HasContent(*there, **source, metadata));
      if (same) return *there;
    }
    precondition =
        there ? store::Precondition::Generation(there->generation) : store::Precondition::Absent();
  }
  return Fail(ErrorCode::kAborted,
              fmt::format("cannot store {}: another client is writing it", name));
}

Result<std::unique_ptr<store::Source>> OpenNothing() {
  return std::make_unique<store::BytesSource>("");
}

Result<store::ObjectInfo> StoreFile(store::Store& store, FileSystem& fs, const Path& file,
                                    const FileObject& object, std::stop_token stop) {
  const auto open = [&]() -> Result<std::unique_ptr<store::Source>> {
    KINETIC_ASSIGN_OR_RETURN(store::FileSource source, store::FileSource::Open(fs, file));
    return std::make_unique<store::FileSource>(std::move(source));
  };
  return StoreSource(store, open, object, stop);
}

Result<store::ObjectInfo> StoreOutput(store::Store& store, const OutputFolder& folder,
                                      const ScannedOutput& output,
                                      const std::optional<store::ObjectInfo>& known,
                                      std::stop_token stop) {
  const OutputKind kind = OutputKindOf(output);
  const FileObject object{.name = record::OutputName(folder.job_id, EncodeObjectPath(output.path)),
                          .metadata = ToMetadata(kind),
                          .known = known};
  if (kind.links_folder) return StoreSource(store, OpenNothing, object, stop);
  return StoreFile(store, folder.files.fs(), folder.path / output.content(), object,
                   std::move(stop));
}

Result<OutputReport> StoreOutputs(store::Store& store, const ProgramFiles& files,
                                  const Path& folder, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(OutputScan scan, ScanOutputs(files, folder, stop));
  KINETIC_RETURN_IF_ERROR(SkipUnstorable(store, id, scan, stop));
  OutputReport report;
  report.skipped = std::move(scan.skipped);
  report.failure = std::move(scan.failure);
  std::mutex mutex;
  const auto store_one = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    const ScannedOutput& file = scan.files[i];
    const auto stored = StoreOutput(store, {files, folder, id}, file, {}, stopped);
    if (!stored && !IsSingleFileError(stored.error())) return Failure(stored.error());
    const std::lock_guard lock(mutex);
    if (stored) {
      ++report.files;
      report.bytes += stored->size_bytes;
    } else if (!report.failure) {
      report.failure = stored.error();
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(kUploadThreads, scan.files.size(), std::move(stop), store_one));
  return report;
}

}  // namespace kinetic::local
