#include "job/lifecycle/outcome.h"

#include "kinetic/try.h"

#include "base/hash/concurrent_sha256.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::job {
namespace {

/// StoredOutcome::written_by of an outcome from the index, which is never stored.
constexpr std::string_view kFromIndex = "index";

constexpr std::string_view kStateFromIndex = "; the state is from the index";

/// @param problem  of the result.
record::StoredOutcome OutcomeFromIndex(const JobSummary& known, std::string_view problem) {
  record::StoredOutcome stored;
  stored.job = {known.id, known.nonce};
  stored.written_by = kFromIndex;
  stored.evidence = std::string(problem) + std::string(kStateFromIndex);
  stored.outcome.state = known.state;
  stored.outcome.exit_code = record::ExitCodeFor(known.state, record::kExitException);
  stored.outcome.exit_source = ExitSource::kKinetic;
  stored.outcome.phase = Phase::kCollect;
  stored.outcome.attempt = known.attempt;
  stored.outcome.reason = known.reason.empty() ? stored.evidence : known.reason;
  stored.node_time = known.node_time;
  if (known.started) stored.moments.push_back({"started", *known.started, {}});
  if (known.finished) stored.moments.push_back({"finished", *known.finished, {}});
  for (const auto& moment : stored.moments) {
    stored.outcome.timeline.emplace_back(moment.name, moment.time);
  }
  return stored;
}

/// Explains why a value does not match its result.
Failure MismatchedValue(store::Store& store, std::string_view id, const std::string& name,
                        const std::stop_token& stop) {
  const auto info = store.Stat(name, stop);
  if (info && *info) {
    const Status own = record::CheckOwner(name, record::OwnerFromMetadata((*info)->metadata),
                                          {std::string(id), {}});
    if (!own) return Failure(own.error());
  }
  return Fail(ErrorCode::kDataLoss,
              name + ": the job's value differs from the digest in its result");
}

}  // namespace

Result<record::JobKey> FindKey(Context& context, std::string_view id, std::stop_token stop) {
  record::JobKey key(std::string(id), context.nonces.Find(id));
  if (!key.nonce.empty()) return key;
  const auto record = ReadRecord(*context.store, id, std::move(stop));
  if (!record && record.error().code != ErrorCode::kDataLoss) return Failure(record.error());
  if (!record || !*record) return key;
  key.nonce = (*record)->nonce;
  context.nonces.Set(id, key.nonce);
  return key;
}

Result<std::optional<record::StoredOutcome>> ReadEndFromIndex(Context& context, std::string_view id,
                                                              std::stop_token stop) {
  const auto record = ReadRecord(*context.store, id, stop);
  if (!record && record.error().code != ErrorCode::kDataLoss) return Failure(record.error());
  if (!record || !*record) return std::optional<record::StoredOutcome>();
  return EndInIndex(context, **record, std::move(stop));
}

Failure NoRecord(std::string_view id) {
  return Fail(ErrorCode::kNotFound,
              "job " + std::string(id) + " has no record: it was removed, or never submitted",
              "to remove its remaining objects: kinetic rm --force " + std::string(id));
}

Result<std::optional<record::StoredOutcome>> EndInIndex(Context& context,
                                                        const record::Record& record,
                                                        std::stop_token stop) {
  const std::string name = record::EndedIndexName(record.created, record.id);
  KINETIC_ASSIGN_OR_RETURN(const auto entry, context.store->Stat(name, stop));
  const auto known = entry ? record::SummaryFromMetadata(entry->metadata) : std::nullopt;
  if (!known || !IsTerminal(known->state)) return std::optional<record::StoredOutcome>();
  if (!record::CheckOwner(name, {known->id, known->nonce}, KeyOf(record))) {
    return std::optional<record::StoredOutcome>();
  }
  const auto result = ReadIntactResult(context, record.id, stop);
  return std::optional(OutcomeFromIndex(
      *known, result ? "its result.json is missing from the store" : result.error().message));
}

Result<std::optional<record::StoredOutcome>> ReadResult(Context& context, std::string_view id,
                                                        std::stop_token stop) {
  auto result = ReadIntactResult(context, id, std::move(stop));
  if (result || result.error().code != ErrorCode::kDataLoss) return result;
  return std::optional<record::StoredOutcome>();
}

Result<std::optional<record::StoredOutcome>> ReadIntactResult(Context& context, std::string_view id,
                                                              std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto text,
                           store::GetBytes(*context.store, record::ResultName(id), stop));
  if (!text) return std::optional<record::StoredOutcome>();
  const bool is_known = !context.nonces.Find(id).empty();
  KINETIC_ASSIGN_OR_RETURN(record::JobKey key, FindKey(context, id, stop));
  auto outcome = record::OutcomeOfJob(*text, key);
  if (!outcome && is_known) {
    // The known nonce may be that of an earlier job with this ID.
    context.nonces.Set(id, {});
    KINETIC_ASSIGN_OR_RETURN(key, FindKey(context, id, std::move(stop)));
    outcome = record::OutcomeOfJob(*text, key);
  }
  if (!outcome) return Failure(std::move(outcome).error().Context("job " + std::string(id)));
  return std::optional(*std::move(outcome));
}

Status CheckKnown(std::string_view id, const record::StoredOutcome& stored,
                  OutcomeContent content) {
  const JobState state = stored.outcome.state;
  const bool has_value = state == JobState::kSucceeded && content == OutcomeContent::kAll;
  if (stored.written_by != kFromIndex || (state != JobState::kFailed && !has_value)) return {};
  std::string_view problem = stored.evidence;
  problem.remove_suffix(kStateFromIndex.size());
  const std::string job = fmt::format("job {}", id);
  if (problem.starts_with(job + ": ")) problem.remove_prefix(job.size() + 2);
  return Fail(ErrorCode::kDataLoss, fmt::format("{} {}, but {}", job, Name(state), problem),
              "restore the object, or run the job again");
}

Result<Outcome> WithValue(store::Store& store, std::string_view id, record::StoredOutcome stored,
                          std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckKnown(id, stored, OutcomeContent::kAll));
  if (!stored.value) return std::move(stored.outcome);
  const std::string name = record::ValueName(record::RunKey(id, stored.outcome.attempt));
  KINETIC_ASSIGN_OR_RETURN(const auto text,
                           store::GetBytes(store, name, stop, record::kMaxValueBytes));
  if (!text) return Fail(ErrorCode::kDataLoss, name + ": the job's value is not in the store");
  if (Sha256::Of(*text) != *stored.value) return MismatchedValue(store, id, name, stop);
  auto value = Value::FromJson(*text);
  if (!value) return Fail(ErrorCode::kDataLoss, name + ": " + value.error().message);
  stored.outcome.value = *std::move(value);
  return std::move(stored.outcome);
}

Status ReadStoredValue(Context& context, std::string_view id, std::string_view reference,
                       const store::Sink& sink, std::stop_token stop) {
  constexpr std::string_view kScheme = "sha256:";
  std::string_view hex = reference;
  if (hex.starts_with(kScheme)) hex.remove_prefix(kScheme.size());
  const auto digest = Digest::FromHex(hex);
  if (!digest) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + std::string(reference) +
                    "' is not the digest of a stored value: expected 64 hex digits");
  }
  KINETIC_ASSIGN_OR_RETURN(const auto result, ReadResult(context, id, stop));
  const std::uint32_t attempt = result ? result->outcome.attempt : 1;
  const std::string name = record::StoredValueName(record::RunKey(id, attempt), *digest);
  ConcurrentSha256 hash;
  const auto pass_on = [&](std::string_view piece) -> Status {
    hash.Update(piece);
    return sink(piece);
  };
  KINETIC_ASSIGN_OR_RETURN(const auto info, context.store->Get(name, {}, pass_on, std::move(stop)));
  if (!info) return Fail(ErrorCode::kNotFound, name + " is not in the store");
  if (hash.Finish() != *digest) {
    return Fail(ErrorCode::kDataLoss, name + ": the content does not match its digest");
  }
  return {};
}

}  // namespace kinetic::job
