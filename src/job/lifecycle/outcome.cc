#include "job/lifecycle/outcome.h"

#include "kinetic/try.h"

#include "record/object_names.h"

#include <utility>

namespace kinetic::job {
namespace {

/// Values come from the job and are untrusted. This bounds memory use.
constexpr std::uint64_t kMaxValueBytes = 1ULL << 30;

/// Local jobs and single-host slices have one host.

}  // namespace

Result<std::optional<record::StoredOutcome>> ReadResult(store::Store& store, std::string_view id,
                                                        std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto text,
                           store::GetBytes(store, record::ResultName(id), std::move(stop)));
  if (!text) return std::optional<record::StoredOutcome>();
  auto outcome = record::OutcomeFromJson(*text);
  if (!outcome) return Failure(std::move(outcome).error().Context("job " + std::string(id)));
  return std::optional(*std::move(outcome));
}

Result<Outcome> WithValue(store::Store& store, std::string_view id, record::StoredOutcome stored,
                          std::stop_token stop) {
  if (!stored.value) return std::move(stored.outcome);
  const std::string name = record::ValueName(id, stored.outcome.attempt, record::kFirstHost);
  KINETIC_ASSIGN_OR_RETURN(const auto text,
                           store::GetBytes(store, name, std::move(stop), kMaxValueBytes));
  if (!text) return Fail(ErrorCode::kDataLoss, name + ": the job's value is not in the store");
  if (Sha256::Of(*text) != *stored.value) {
    return Fail(ErrorCode::kDataLoss,
                name + ": the job's value differs from the digest in its result");
  }
  auto value = Value::FromJson(*text);
  if (!value) return Fail(ErrorCode::kDataLoss, name + ": " + value.error().message);
  stored.outcome.value = *std::move(value);
  return std::move(stored.outcome);
}

Status ReadStoredValue(store::Store& store, std::string_view id, std::string_view reference,
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
  KINETIC_ASSIGN_OR_RETURN(const auto result, ReadResult(store, id, stop));
  const std::uint32_t attempt = result ? result->outcome.attempt : 1;
  const std::string name = record::StoredValueName(id, attempt, record::kFirstHost, *digest);
  Sha256 hash;
  const auto pass_on = [&](std::string_view piece) -> Status {
    hash.Update(piece);
    return sink(piece);
  };
  KINETIC_ASSIGN_OR_RETURN(const auto info, store.Get(name, {}, pass_on, std::move(stop)));
  if (!info) return Fail(ErrorCode::kNotFound, name + " is not in the store");
  if (hash.Finish() != *digest) {
    return Fail(ErrorCode::kDataLoss, name + ": the content does not match its digest");
  }
  return {};
}

}  // namespace kinetic::job
