#include "kinetic/try.h"

#include "local/outputs.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "store/source.h"

#include <string>
#include <utility>

namespace kinetic::local {
namespace {

Result<Digest> DigestOfFile(FileSystem& fs, const Path& file) {
  KINETIC_ASSIGN_OR_RETURN(store::FileSource source, store::FileSource::Open(fs, file));
  Sha256 hash;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::string_view piece, source.Next());
    if (piece.empty()) return hash.Finish();
    hash.Update(piece);
  }
}

/// The job's program can change these files. An error of theirs must not be mistaken for one of the
/// store, after which the runner would try again for ever.
Failure ValueFailure(Error error) {
  if (!IsOpenFileLimit(error)) error.code = ErrorCode::kDataLoss;
  return Failure(std::move(error).Context("cannot read the function's value"));
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
    const auto found = DigestOfFile(fs, folder / entry.name);
    if (!found) return ValueFailure(found.error());
    if (*found != *named) {
      return Fail(ErrorCode::kDataLoss, "an array of the result was modified before it was stored");
    }
    KINETIC_RETURN_IF_ERROR(StoreFile(store, fs, folder / entry.name,
                                      {.name = record::StoredValueName(run, *found)}, stop));
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
