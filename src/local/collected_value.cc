#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/hash/crc32c.h"
#include "local/outputs.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_id.h"
#include "store/source.h"

#include <string>
#include <utility>

namespace kinetic::local {
namespace {

/// Two checksums of the same bytes.
struct Checksums {
  Digest sha256;
  Crc32c crc32c;
};

Result<Checksums> ChecksumsOfFile(FileSystem& fs, const Path& file, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(store::FileSource source, store::FileSource::Open(fs, file));
  Sha256 hash;
  Crc32c crc32c;
  while (!stop.stop_requested()) {
    KINETIC_ASSIGN_OR_RETURN(const std::string_view piece, source.Next());
    if (piece.empty()) return Checksums{hash.Finish(), crc32c};
    hash.Update(piece);
    crc32c.Update(piece);
  }
  return Fail(ErrorCode::kCancelled, "stopped");
}

/// The job's program can change these files. An error of theirs must not be mistaken for one of the
/// store, after which the runner would try again for ever.
Failure ValueFailure(Error error) {
  if (!IsOpenFileLimit(error)) error.code = ErrorCode::kDataLoss;
  return Failure(std::move(error).Context("cannot read the function's value"));
}

Failure ModifiedArray() {
  return Fail(ErrorCode::kDataLoss, "an array of the result was modified before it was stored");
}

/// Stores a file whose name is its SHA-256. A large file is verified while it is stored. The object of a
/// file that was modified is removed. Until the result is stored, nothing refers to it.
Status StoreArray(store::Store& store, FileSystem& fs, const Path& file, const Digest& named,
                  const std::string& name, const std::stop_token& stop) {
  constexpr std::uint64_t kParallelBytes = 1U << 20;
  constexpr std::size_t kParts = 2;
  Checksums found;
  store::ObjectInfo stored;
  const auto act = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 1) {
      KINETIC_ASSIGN_OR_RETURN(stored, StoreFile(store, fs, file, {.name = name}, stopping));
      return {};
    }
    const auto checksums = ChecksumsOfFile(fs, file, stopping);
    if (!checksums) return ValueFailure(checksums.error());
    found = *checksums;
    return found.sha256 == named ? Status() : ModifiedArray();
  };
  const auto status = fs.Lstat(file);
  const bool is_large = status && status->size_bytes >= kParallelBytes;
  auto both = ParallelFor(is_large ? kParts : 1, kParts, stop, act);
  const bool is_other = both && !stored.crc32c.empty() && stored.crc32c != found.crc32c.Base64();
  if (both && !is_other) return {};
  if (is_other || both.error().code == ErrorCode::kDataLoss) {
    const auto there = store.Stat(name, {});
    if (there && *there) (void)store.RemoveIfUnchanged(**there, {});
  }
  return is_other ? ModifiedArray() : Failure(std::move(both).error());
}

Status StoreArrays(store::Store& store, FileSystem& fs, const Path& folder,
                   const record::RunKey& run, const std::stop_token& stop) {
  const auto entries = fs.ReadDirectory(folder);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return {};
    return ValueFailure(entries.error());
  }
  for (const auto& entry : *entries) {
    const auto named = Digest::FromHex(entry.name);
    if (!named || entry.type != FileType::kRegular) continue;
    KINETIC_RETURN_IF_ERROR(StoreArray(store, fs, folder / entry.name, *named,
                                       record::StoredValueName(run, *named), stop));
  }
  return {};
}

}  // namespace

Result<CollectedValue> StoreValue(store::Store& store, FileSystem& fs, const Path& exchange,
                                  const record::RunKey& run, std::stop_token stop) {
  auto read = ReadRegularFile(fs, exchange / "value.json", record::kMaxValueBytes);
  if (!read) return ValueFailure(std::move(read).error());
  const std::string json = *std::move(read);
  CollectedValue collected{std::nullopt, Sha256::Of(json)};
  if (json.size() <= record::kInlineValueBytes) {
    KINETIC_ASSIGN_OR_RETURN(collected.inline_value, Value::FromJson(json));
  }
  KINETIC_RETURN_IF_ERROR(StoreArrays(store, fs, exchange / "values", run, stop));
  // Of many short tasks, each object counts.
  if (collected.inline_value && record::ParseTaskId(run.id)) return collected;
  // Usually absent; a killed supervisor may have stored it.
  const std::string name = record::ValueName(run);
  const store::Metadata owner = record::OwnerMetadata({run.id, {}});
  KINETIC_ASSIGN_OR_RETURN(
      const auto created,
      store::PutBytes(store, name, json, store::Precondition::Absent(), stop, owner));
  if (!created)
    KINETIC_RETURN_IF_ERROR(store::Overwrite(store, name, json, std::move(stop), owner));
  return collected;
}

}  // namespace kinetic::local
