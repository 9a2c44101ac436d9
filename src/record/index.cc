#include "record/index.h"

#include "base/strings.h"
#include "base/time.h"
#include "base/try.h"
#include "record/layout.h"
#include "record/names.h"

#include <limits>

namespace kinetic::record {
namespace {

constexpr std::size_t kNameBytes = 512;
constexpr std::size_t kShortBytes = 256;
constexpr std::size_t kReasonBytes = 2048;

/// UTF-8 of at most `limit` bytes, cut between two characters.
std::string Fitting(std::string_view text, std::size_t limit) {
  std::string fitting = IsUtf8(text) ? std::string(text) : Printable(text);
  if (fitting.size() <= limit) return fitting;
  std::size_t end = limit - std::string_view("…").size();
  while (end > 0 && (static_cast<unsigned char>(fitting[end]) & 0xC0) == 0x80) --end;
  fitting.resize(end);
  return fitting += "…";
}

std::string Get(const store::Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

std::optional<WallTime> GetTime(const store::Metadata& metadata, const std::string& key) {
  constexpr std::int64_t kLastMicros = 9'000'000'000'000'000;
  const auto micros = ParseInt(Get(metadata, key));
  if (!micros || *micros < -kLastMicros || *micros > kLastMicros) return std::nullopt;
  return FromMicros(*micros);
}

/// How far a job has come, so that late news does not take it back.
std::pair<bool, std::pair<std::uint32_t, bool>> Progress(const JobSummary& summary) {
  return {IsTerminal(summary.state), {summary.attempt, summary.state == JobState::kRunning}};
}

}  // namespace

store::Metadata ToMetadata(const JobSummary& summary) {
  store::Metadata metadata = {{"id", Fitting(summary.id, kShortBytes)},
                              {"name", Fitting(summary.name, kNameBytes)},
                              {"owner", Fitting(summary.owner, kShortBytes)},
                              {"target", Fitting(summary.target, kShortBytes)},
                              {"function", summary.function ? "1" : "0"},
                              {"state", std::string(Name(summary.state))},
                              {"created", std::to_string(ToMicros(summary.created))},
                              {"attempt", std::to_string(summary.attempt)}};
  // One that is cut would be another's: whoever needs a long one reads the record.
  if (!summary.target_identity.empty() && summary.target_identity.size() <= kShortBytes) {
    metadata.emplace("target_identity", Fitting(summary.target_identity, kShortBytes));
  }
  if (!summary.reason.empty()) metadata.emplace("reason", Fitting(summary.reason, kReasonBytes));
  if (summary.started) metadata.emplace("started", std::to_string(ToMicros(*summary.started)));
  if (summary.finished) metadata.emplace("finished", std::to_string(ToMicros(*summary.finished)));
  return metadata;
}

std::optional<JobSummary> SummaryFromMetadata(const store::Metadata& metadata) {
  JobSummary summary;
  summary.id = Get(metadata, "id");
  const auto state = ParseJobState(Get(metadata, "state"));
  const auto created = GetTime(metadata, "created");
  const auto attempt = ParseInt(Get(metadata, "attempt"));
  if (summary.id.empty() || !state || !created || !attempt || *attempt < 0 ||
      *attempt > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  summary.name = Get(metadata, "name");
  summary.owner = Get(metadata, "owner");
  summary.target = Get(metadata, "target");
  summary.target_identity = Get(metadata, "target_identity");
  summary.function = Get(metadata, "function") == "1";
  summary.state = *state;
  summary.reason = Get(metadata, "reason");
  summary.created = *created;
  summary.started = GetTime(metadata, "started");
  summary.finished = GetTime(metadata, "finished");
  summary.attempt = static_cast<std::uint32_t>(*attempt);
  return summary;
}

JobSummary SummaryOf(const Record& record) {
  JobSummary summary;
  summary.id = record.id;
  summary.name = record.spec.name;
  summary.owner = record.owner;
  summary.target = record.target;
  summary.target_identity = record.target_identity;
  summary.function = record.spec.function.has_value();
  summary.created = record.created;
  return summary;
}

Status CreateIndex(store::Store& store, const JobSummary& summary, std::stop_token stop) {
  const std::string name = IndexName(summary.created, summary.id);
  KINETIC_ASSIGN_OR_RETURN(
      const auto created,
      store::PutBytes(store, name, "", store::Precondition::Absent(), stop, ToMetadata(summary)));
  return created ? Status() : WriteIndex(store, summary, std::move(stop));
}

Status WriteIndex(store::Store& store, const JobSummary& summary, std::stop_token stop) {
  constexpr int kAttempts = 100;
  const std::string name = IndexName(summary.created, summary.id);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(name, stop));
    auto precondition = store::Precondition::Absent();
    if (there) {
      const auto known = SummaryFromMetadata(there->metadata);
      if (known && Progress(summary) < Progress(*known)) return {};
      if (there->metadata == ToMetadata(summary)) return {};
      precondition = store::Precondition::Generation(there->generation);
    }
    KINETIC_ASSIGN_OR_RETURN(const auto stored, store::PutBytes(store, name, "", precondition, stop,
                                                                ToMetadata(summary)));
    if (stored) return {};
  }
  return Fail(ErrorCode::kAborted, "storing " + name + ": others kept changing it");
}

Status ListIndex(store::Store& store, const std::function<Result<bool>(const JobSummary&)>& each,
                 std::stop_token stop) {
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    const auto summary = SummaryFromMetadata(info.metadata);
    const bool is_named = summary && IndexName(summary->created, summary->id) == info.name;
    return is_named ? each(*summary) : Result<bool>(true);
  };
  return store.List(kIndexPrefix, "", take, stop);
}

Result<std::vector<JobSummary>> NewestJobs(store::Store& store, std::size_t limit,
                                           std::stop_token stop) {
  std::vector<JobSummary> jobs;
  const auto take = [&](const JobSummary& summary) -> Result<bool> {
    jobs.push_back(summary);
    return jobs.size() != limit;
  };
  KINETIC_RETURN_IF_ERROR(ListIndex(store, take, stop));
  return jobs;
}

Status RemoveIndex(store::Store& store, WallTime created, std::string_view id,
                   std::stop_token stop) {
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(IndexName(created, id), stop));
    if (!there) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto removed, store.RemoveIfUnchanged(*there, stop));
    if (removed != store::Removal::kChanged) return {};
  }
}

}  // namespace kinetic::record
