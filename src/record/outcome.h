#pragma once

#include "kinetic/job.h"

#include "base/digest.h"
#include "record/status.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::record {

/// result.json, version 1 (docs/reference/store.md): kinetic::Outcome, with the value either inline
/// or named by the digest of value.json.
struct StoredOutcome {
  Outcome outcome;              ///< outcome.value is set only when it is inline
  std::optional<Digest> value;  ///< sha256 of value.json of outcome.attempt, when it is not inline
  std::string written_by;       ///< "runner", "client", "gc"
  std::string evidence;         ///< when not written by the runner: what was seen
  std::uint64_t log_records = 0;  ///< how many records the whole log has
  /// Why its end could not be read, when it could not; `log_records` are those before.
  std::string log_gap = {};
  std::vector<Moment> moments;  ///< the timeline in full
};

/// Values up to this size are inline: with the rest of a result they are what a server sends at
/// once, before it hears that any of it has arrived.
inline constexpr std::size_t kInlineValueBytes = 12 * 1024;

std::string ToJson(const StoredOutcome& outcome);

/// @errors  kDataLoss: not a result, of a newer version, or a value beside an outcome other than
/// succeeded.
Result<StoredOutcome> OutcomeFromJson(std::string_view json);

}  // namespace kinetic::record
