#include "runner/staging/job_store.h"

#include "kinetic/try.h"

#include "base/hash/concurrent_sha256.h"
#include "record/array_references.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_arguments.h"
#include "runner/diagnostics.h"
#include "store/bucket/location.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxRecordBytes = 16U << 20;

/// Returns whether a client took this runner, which lives, for dead.
bool IsWronglyLost(const record::StoredOutcome& stored) {
  return stored.outcome.state == JobState::kLost && stored.written_by != "runner";
}

}  // namespace

Result<std::optional<OwnResult>> ReadOwnResult(store::Store& store, const record::Record& record,
                                               std::stop_token stop) {
  const auto ignore_damage = [](Error error) -> Result<std::optional<OwnResult>> {
    if (error.code != ErrorCode::kDataLoss) return Failure(std::move(error));
    LogDiagnostic(error.message);
    return std::nullopt;
  };
  const std::string name = record::ResultName(record.id);
  auto json = store::GetBytes(store, name, std::move(stop), kMaxResultBytes);
  if (!json) return ignore_damage(std::move(json).error());
  if (!*json) return std::nullopt;
  auto stored = record::OutcomeOfJob(**json, KeyOf(record));
  if (!stored) return ignore_damage(std::move(stored).error().Context(name));
  return OwnResult{**std::move(json), *std::move(stored)};
}

Failure JobStore::Missing(std::string_view name) {
  return Fail(ErrorCode::kNotFound, fmt::format("{} is not in the store", name),
              "it was removed or never written; submit the job again");
}

Result<record::Record> JobStore::FetchRecord(store::Store& store, std::string_view id,
                                             const Digest& sha256, std::stop_token stop) {
  const std::string name = record::RecordName(id);
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetBytes(store, name, std::move(stop), kMaxRecordBytes));
  if (!json) return Missing(name);
  return ParseRecord(*json, id, sha256);
}

Result<record::Record> JobStore::ParseRecord(std::string_view json, std::string_view id,
                                             const Digest& sha256) {
  const std::string name = record::RecordName(id);
  const Digest found = Sha256::Of(json);
  if (found != sha256) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("{} has SHA-256 {}, expected {}", name, found.Hex(), sha256.Hex()),
                "the record was changed after it was written; submit the job again");
  }
  KINETIC_ASSIGN_OR_RETURN(record::Record record, record::FromJson(json));
  if (record.id != id) {
    return Fail(ErrorCode::kDataLoss, fmt::format("{} is the record of job {}", name, record.id));
  }
  return record;
}

JobStore::JobStore(Dependencies deps, const record::Record& record, local::Runtime runtime,
                   Options options)
    : deps_(deps), record_(record), runtime_(std::move(runtime)), options_(std::move(options)) {}

Result<bool> JobStore::HasResult(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto own, ReadOwnResult(deps_.store, record_, std::move(stop)));
  return own.has_value();
}

Status JobStore::StoreRecord(store::Store& store, std::string_view id, std::string_view json,
                             std::stop_token stop) {
  const std::string name = record::RecordName(id);
  KINETIC_ASSIGN_OR_RETURN(const auto put,
                           store::PutBytes(store, name, json, store::Precondition::Absent(), stop));
  if (put) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto existing, store::GetBytes(store, name, std::move(stop)));
  if (existing == json) return {};  // the response of an earlier try was lost
  return Fail(ErrorCode::kAlreadyExists, fmt::format("job {} exists", id));
}

Status JobStore::Claim(std::uint32_t attempt, std::string_view claim, std::stop_token stop) {
  const std::string name = record::ClaimName(record_.id, attempt);
  KINETIC_ASSIGN_OR_RETURN(const auto put, store::PutBytes(deps_.store, name, claim,
                                                           store::Precondition::Absent(), stop));
  if (put) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto existing,
                           store::GetBytes(deps_.store, name, std::move(stop)));
  if (existing == claim) return {};  // ours: the response of an earlier try was lost
  return Fail(
      ErrorCode::kAlreadyExists,
      fmt::format("attempt {} of job {} is claimed by another runner", attempt, record_.id));
}

Result<std::string> JobStore::FetchArgumentsDocument(const std::stop_token& stop) {
  std::optional<std::string> json = record_.inline_arguments;
  if (!json && record_.arguments_by_task) {
    return record::ReadTaskArguments(deps_.store, record_, stop);
  }
  const std::string name = record::ArgumentsName(record_.id, record_.nonce);
  if (!json) {
    KINETIC_ASSIGN_OR_RETURN(json, store::GetBytes(deps_.store, name, stop));
  }
  if (!json) return Missing(name);
  if (Sha256::Of(*json) == record_.arguments) return *std::move(json);
  return Fail(ErrorCode::kDataLoss, name + " does not match its digest in the record");
}

Result<Arguments> JobStore::FetchArguments(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const std::string json, FetchArgumentsDocument(stop));
  KINETIC_ASSIGN_OR_RETURN(Arguments args, record::ArgumentsFromJson(json));
  for (const auto& array : record::ReferredArrays(args)) {
    KINETIC_ASSIGN_OR_RETURN(const bool in_place, IsReadInPlace(array, stop));
    if (!in_place) KINETIC_RETURN_IF_ERROR(FetchArray(array, stop));
  }
  return args;
}

/// Returns whether a C++ function can read the store's file itself. It verifies the content. The store
/// must be visible in the job, and the file must contain nothing else.
Result<bool> JobStore::IsReadInPlace(const record::ArrayReference& array,
                                     const std::stop_token& stop) {
  const auto is_absolute = [](const auto& data) { return Path(data.first).is_absolute(); };
  const bool is_native = record_.spec.function && record_.spec.function->IsNative();
  const bool is_local = !options_.state_dir.empty();  // not in a pod
  if (!is_native || !is_local || store::IsBucketLocation(deps_.store.Location()) ||
      std::ranges::any_of(record_.spec.data, is_absolute))
    return false;
  const std::string name = record::NameOf(array, record_);
  KINETIC_ASSIGN_OR_RETURN(const auto info, deps_.store.Stat(name, stop));
  if (!info) return Missing(name);
  const auto file = deps_.fs.Lstat(Path(deps_.store.Location()) / name);
  return file && file->type == FileType::kRegular && file->size_bytes == info->size_bytes;
}

Status JobStore::FetchArray(const record::ArrayReference& array, const std::stop_token& stop) {
  const std::string name = record::NameOf(array, record_);
  const Path file = runtime_.Array(array.digest);
  // The program may have another user.
  KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, file.parent_path(), 0755));
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, deps_.fs.Open(file, OpenMode::kTruncate, 0644));
  ConcurrentSha256 hash;
  const auto write = [&](std::string_view piece) {
    hash.Update(piece);
    return deps_.fs.Write(fd.get(), piece);
  };
  KINETIC_ASSIGN_OR_RETURN(const auto read, deps_.store.Get(name, {}, write, stop));
  if (!read) return Missing(name);
  if (hash.Finish() == array.digest) return {};
  return Fail(ErrorCode::kDataLoss, name + " does not match its digest in the arguments");
}

Result<local::CollectedValue> JobStore::StoreValue(FileSystem& files, std::uint32_t attempt,
                                                   std::stop_token stop) {
  return local::StoreValue(deps_.store, files, runtime_.Exchange(),
                           record::RunKey(record_.id, attempt), std::move(stop));
}

Status JobStore::WriteAttempt(const record::StoredOutcome& outcome, std::stop_token stop) {
  const std::string name =
      record::RunResultName(record::RunKey(record_.id, outcome.outcome.attempt));
  return store::Overwrite(deps_.store, name, record::ToJson(outcome), std::move(stop));
}

Result<bool> JobStore::WriteResult(const std::string& json, std::stop_token stop) {
  const std::string name = record::ResultName(record_.id);
  KINETIC_ASSIGN_OR_RETURN(const auto put, store::PutBytes(deps_.store, name, json,
                                                           store::Precondition::Absent(), stop));
  if (put) return true;
  KINETIC_ASSIGN_OR_RETURN(const auto existing, ReadOwnResult(deps_.store, record_, stop));
  // If it is ours, the response of an earlier try was lost.
  if (existing && !IsWronglyLost(existing->outcome)) return existing->json == json;
  KINETIC_RETURN_IF_ERROR(store::Overwrite(deps_.store, name, json, std::move(stop)));
  return true;
}

Status JobStore::WriteIndex(const JobSummary& summary, std::stop_token stop) {
  return record::WriteIndex(deps_.store, summary, std::move(stop));
}

}  // namespace kinetic::runner
