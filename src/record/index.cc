#include "record/index.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "json/document.h"
#include "record/argument_texts.h"
#include "record/job_cost.h"
#include "record/json_fields.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_counts.h"
#include "record/task_id.h"
#include "store/source.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace kinetic::record {
namespace {

constexpr std::size_t kShortBytes = 256;
constexpr std::size_t kListBytes = 400;
constexpr std::size_t kReasonBytes = 1280;

/// Returns valid UTF-8 of at most `limit` bytes, truncated between two characters.
std::string Truncate(std::string_view text, std::size_t limit) {
  std::string result = IsUtf8(text) ? std::string(text) : Printable(text);
  if (result.size() <= limit) return result;
  std::size_t end = limit - std::string_view("…").size();
  while (end > 0 && (static_cast<unsigned char>(result[end]) & 0xC0) == 0x80) --end;
  result.resize(end);
  return result += "…";
}

std::string MetadataValue(const store::Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

std::optional<WallTime> GetTime(const store::Metadata& metadata, const std::string& key) {
  constexpr std::int64_t kLastTimeMicros = 9'000'000'000'000'000;
  const auto micros = ParseInt(MetadataValue(metadata, key));
  if (!micros || *micros < -kLastTimeMicros || *micros > kLastTimeMicros) return std::nullopt;
  return FromMicros(*micros);
}

/// Returns the texts as a JSON list that fits into kListBytes, with "…" in place of the last ones.
std::string TextList(const std::vector<std::string>& texts) {
  Value::List list;
  for (const std::string& text : texts) {
    list.emplace_back(text);
    if (Value(list).ToJson().size() <= kListBytes) continue;
    list.back() = Value("…");
    while (list.size() > 1 && Value(list).ToJson().size() > kListBytes) {
      list.pop_back();
      list.back() = Value("…");
    }
    break;
  }
  return Value(std::move(list)).ToJson();
}

std::vector<std::string> TextsFrom(std::string_view json) {
  std::vector<std::string> texts;
  const auto value = Value::FromJson(json);
  const auto* list = value ? value->AsList() : nullptr;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    if (const auto* text = (*list)[i].AsString()) texts.push_back(*text);
  return texts;
}

std::string TagsText(const std::map<std::string, std::string>& tags) {
  return TextMapValue(tags).ToJson();
}

std::map<std::string, std::string> TagsFrom(std::string_view json) {
  std::map<std::string, std::string> tags;
  const auto value = Value::FromJson(json);
  const auto* map = value ? value->AsMap() : nullptr;
  if (map == nullptr) return tags;
  for (const auto& [name, tag] : *map)
    if (const auto* text = tag.AsString()) tags.emplace(name, *text);
  return tags;
}

std::optional<JobPrice> PriceFrom(std::string_view json) {
  const auto value = Value::FromJson(json);
  return value ? JobPriceFrom(*value) : std::nullopt;
}

/// Converts a summary to metadata. Long texts are truncated to keep the total below 4 KiB.
store::Metadata ToMetadata(const JobSummary& summary) {
  store::Metadata metadata = {{"id", Truncate(summary.id, kShortBytes)},
                              {"nonce", Truncate(summary.nonce, kShortBytes)},
                              {"name", Truncate(summary.name, kShortBytes)},
                              {"owner", Truncate(summary.owner, kShortBytes)},
                              {"target", Truncate(summary.target, kShortBytes)},
                              {"function", summary.function ? "1" : "0"},
                              {"state", std::string(Name(summary.state))},
                              {"created", std::to_string(ToMicros(summary.created))},
                              {"attempt", std::to_string(summary.attempt)}};
  // A truncated identity could match another target. Readers find a long one in the record.
  if (!summary.target_identity.empty() && summary.target_identity.size() <= kShortBytes) {
    metadata.emplace("target_identity", Truncate(summary.target_identity, kShortBytes));
  }
  if (!summary.accelerator.empty()) {
    metadata.emplace("accelerator", Truncate(summary.accelerator, kShortBytes));
  }
  if (!summary.arguments.empty()) metadata.emplace("arguments", TextList(summary.arguments));
  if (!summary.tags.empty() && TagsText(summary.tags).size() <= kListBytes) {
    metadata.emplace("tags", TagsText(summary.tags));
  }
  if (!summary.reason.empty()) metadata.emplace("reason", Truncate(summary.reason, kReasonBytes));
  if (summary.tasks) metadata.emplace("tasks", CountsValue(*summary.tasks).ToJson());
  if (summary.started) metadata.emplace("started", std::to_string(ToMicros(*summary.started)));
  if (summary.finished) metadata.emplace("finished", std::to_string(ToMicros(*summary.finished)));
  if (summary.price) metadata.emplace("price", JobPriceValue(*summary.price).ToJson());
  if (summary.node_time.count() > 0) {
    metadata.emplace("node_milliseconds", std::to_string(summary.node_time.count()));
  }
  return metadata;
}

/// Orders summaries of a job by progress, so that a delayed write does not undo a later one.
/// The runner's own outcome counts more than that it seemed to be lost.
std::tuple<bool, bool, std::uint32_t, bool> ProgressOrder(const JobSummary& summary) {
  const bool ended = IsTerminal(summary.state);
  return {ended, ended && summary.state != JobState::kLost, summary.attempt,
          summary.state == JobState::kRunning};
}

/// Returns the job's accelerators, or an empty string if it requests only CPUs.
std::string AcceleratorNames(const JobSpec& spec) {
  std::vector<std::string> names;
  names.reserve(spec.accelerators.size());
  for (const auto& accelerator : spec.accelerators) names.push_back(accelerator.name);
  const bool none =
      spec.accelerators.size() == 1 && spec.accelerators.front().kind == AcceleratorKind::kCpu;
  return none ? std::string() : Join(names, ", ");
}

std::string EntryName(const JobSummary& summary) {
  return IsTerminal(summary.state) ? EndedIndexName(summary.created, summary.id)
                                   : IndexName(summary.created, summary.id);
}

/// Creates an entry in one request. Returns false if it exists, perhaps because the response to an
/// earlier attempt of this call was lost.
Result<bool> CreateEntry(store::Store& store, const JobSummary& summary, std::stop_token stop,
                         bool is_durable = true) {
  store::BytesSource nothing("");
  KINETIC_ASSIGN_OR_RETURN(const auto created,
                           store.Put(EntryName(summary), nothing, store::Precondition::Absent(),
                                     {.metadata = ToMetadata(summary),
                                      .lease = {},
                                      .any_creator = true,
                                      .is_durable = is_durable},
                                     std::move(stop)));
  return created.has_value();
}

/// Replaces an entry that another process may have written. Creates only the entry of an end.
Status ReplaceEntry(store::Store& store, const std::string& name, const JobSummary& summary,
                    const std::stop_token& stop) {
  constexpr int kAttempts = 20;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto existing, store.Stat(name, stop));
    auto precondition = store::Precondition::Absent();
    if (!existing && !IsTerminal(summary.state)) return {};
    if (existing) {
      const auto known = SummaryFromMetadata(existing->metadata);
      if (known && ProgressOrder(summary) < ProgressOrder(*known)) return {};
      // Every writer of an end reads the same result.
      if (known && IsTerminal(known->state) && known->state == summary.state &&
          known->attempt == summary.attempt) {
        return {};
      }
      if (existing->metadata == ToMetadata(summary)) return {};
      precondition = store::Precondition::Generation(existing->generation);
    }
    KINETIC_ASSIGN_OR_RETURN(const auto stored, store::PutBytes(store, name, "", precondition, stop,
                                                                ToMetadata(summary)));
    if (stored) return {};
  }
  return Fail(ErrorCode::kAborted, "cannot store " + name + ": another process keeps changing it",
              "run the same command again");
}

Status RemoveEntry(store::Store& store, const std::string& name, const std::stop_token& stop) {
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto existing, store.Stat(name, stop));
    if (!existing) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto removed, store.RemoveIfUnchanged(*existing, stop));
    if (removed != store::Removal::kChanged) return {};
  }
}

/// Merges the entries of each job. They have the same creation time, so they are close to each
/// other.
class EntryMerger {
 public:
  explicit EntryMerger(const std::function<Result<bool>(const JobSummary&)>& each) : each_(each) {}

  /// Returns false if no further entries are needed.
  Result<bool> Add(const JobSummary& entry) {
    if (!pending_.empty() && pending_.front().created != entry.created) {
      KINETIC_RETURN_IF_ERROR(Flush());
    }
    const auto same = std::ranges::find(pending_, entry.id, &JobSummary::id);
    if (same == pending_.end()) {
      pending_.push_back(entry);
    } else if (ProgressOrder(*same) <= ProgressOrder(entry)) {
      *same = entry;
    }
    return more_;
  }

  Status Flush() {
    for (const JobSummary& job : std::exchange(pending_, {})) {
      if (!more_) break;
      KINETIC_ASSIGN_OR_RETURN(more_, each_(job));
    }
    return {};
  }

 private:
  const std::function<Result<bool>(const JobSummary&)>& each_;
  std::vector<JobSummary> pending_;
  bool more_ = true;
};

}  // namespace

std::optional<JobSummary> SummaryFromMetadata(const store::Metadata& metadata) {
  JobSummary summary;
  summary.id = MetadataValue(metadata, "id");
  const auto state = ParseJobState(MetadataValue(metadata, "state"));
  const auto created = GetTime(metadata, "created");
  const auto attempt = ParseInt(MetadataValue(metadata, "attempt"));
  if (summary.id.empty() || !state || !created || !attempt || *attempt < 0 ||
      *attempt > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  summary.nonce = MetadataValue(metadata, "nonce");
  summary.name = MetadataValue(metadata, "name");
  summary.owner = MetadataValue(metadata, "owner");
  summary.target = MetadataValue(metadata, "target");
  summary.target_identity = MetadataValue(metadata, "target_identity");
  summary.function = MetadataValue(metadata, "function") == "1";
  summary.accelerator = MetadataValue(metadata, "accelerator");
  summary.arguments = TextsFrom(MetadataValue(metadata, "arguments"));
  summary.tags = TagsFrom(MetadataValue(metadata, "tags"));
  summary.tasks = CountsFromJson(MetadataValue(metadata, "tasks"));
  summary.price = PriceFrom(MetadataValue(metadata, "price"));
  summary.node_time = NodeTimeFromText(MetadataValue(metadata, "node_milliseconds"));
  summary.state = *state;
  summary.reason = MetadataValue(metadata, "reason");
  summary.created = *created;
  summary.started = GetTime(metadata, "started");
  summary.finished = GetTime(metadata, "finished");
  summary.attempt = static_cast<std::uint32_t>(*attempt);
  return summary;
}

JobSummary SummaryOf(const Record& record) {
  JobSummary summary;
  summary.id = record.id;
  summary.nonce = record.nonce;
  summary.name = record.spec.name;
  summary.owner = record.owner;
  summary.target = record.target;
  summary.target_identity = record.target_identity;
  summary.function = record.spec.function.has_value();
  summary.created = record.created;
  summary.accelerator = AcceleratorNames(record.spec);
  summary.arguments = ArgumentTexts(record.spec);
  summary.tags = record.spec.tags;
  summary.price = record.price;
  const bool is_array = record.spec.array && !ParseTaskId(record.id);
  if (is_array) summary.tasks = TaskCounts{.tasks = record.spec.array->count};
  return summary;
}

namespace {

/// Returns the summary for an entry whose metadata is not usable, or nullopt if the entry's job has
/// no readable record.
Result<std::optional<JobSummary>> SummaryFromRecord(store::Store& store, std::string_view entry,
                                                    const std::stop_token& stop) {
  const std::string_view id = IdOfIndexName(entry);
  const std::string name = RecordName(id);
  if (id.empty() || !store::CheckName(name)) return std::nullopt;
  const auto json = store::GetBytes(store, name, stop, json::kMaxDocumentBytes);
  if (!json && store::IsStoreUnavailable(json.error())) return Failure(json.error());
  if (!json || !*json) return std::nullopt;
  const auto record = FromJson(**json);
  if (!record || IndexName(record->created, record->id) != entry) return std::nullopt;
  return SummaryOf(*record);
}

}  // namespace

std::string_view IdOfIndexName(std::string_view name) {
  constexpr std::string_view kEnded = ".ended";
  const auto dash = name.find('-');
  if (dash == std::string_view::npos) return {};
  std::string_view id = name.substr(dash + 1);
  if (id.ends_with(kEnded)) id.remove_suffix(kEnded.size());
  return id;
}

Status CreateIndex(store::Store& store, const JobSummary& summary, std::stop_token stop,
                   bool is_durable) {
  if (ParseTaskId(summary.id)) return {};
  KINETIC_ASSIGN_OR_RETURN(const bool created, CreateEntry(store, summary, stop, is_durable));
  return created ? Status() : ReplaceEntry(store, EntryName(summary), summary, stop);
}

Status WriteIndex(store::Store& store, const JobSummary& summary, std::stop_token stop) {
  if (ParseTaskId(summary.id)) return {};
  // The end is usually written once, so the first request succeeds.
  if (IsTerminal(summary.state)) return CreateIndex(store, summary, std::move(stop));
  return ReplaceEntry(store, EntryName(summary), summary, stop);
}

Status IndexEnd(store::Store& store, const JobSummary& summary, std::stop_token stop) {
  if (ParseTaskId(summary.id)) return {};
  KINETIC_RETURN_IF_ERROR(CreateEntry(store, summary, std::move(stop)));
  return {};
}

Status ListIndex(store::Store& store, const std::function<Result<bool>(const JobSummary&)>& each,
                 std::stop_token stop, IndexObjects* objects) {
  EntryMerger merger(each);
  const auto visit = [&](const store::ObjectInfo& info) -> Result<bool> {
    auto summary = SummaryFromMetadata(info.metadata);
    const bool name_matches =
        summary && (IndexName(summary->created, summary->id) == info.name ||
                    EndedIndexName(summary->created, summary->id) == info.name);
    if (!name_matches) {
      if (objects != nullptr) objects->damaged.push_back(info);
      KINETIC_ASSIGN_OR_RETURN(summary, SummaryFromRecord(store, info.name, stop));
    }
    if (summary && objects != nullptr) {
      WallTime& written = objects->written.try_emplace(summary->id, info.lease).first->second;
      written = std::max(written, info.lease);
    }
    return summary ? merger.Add(*summary) : Result<bool>(true);
  };
  KINETIC_RETURN_IF_ERROR(store.List(kIndexPrefix, "", visit, stop));
  KINETIC_RETURN_IF_ERROR(merger.Flush());
  return {};
}

Result<std::vector<JobSummary>> NewestJobs(store::Store& store, std::size_t limit,
                                           std::stop_token stop, IndexObjects* objects) {
  std::vector<JobSummary> jobs;
  const auto visit = [&](const JobSummary& summary) -> Result<bool> {
    jobs.push_back(summary);
    return jobs.size() != limit;
  };
  KINETIC_RETURN_IF_ERROR(ListIndex(store, visit, stop, objects));
  return jobs;
}

Result<bool> IsIndexedAsEnded(store::Store& store, WallTime created, std::string_view id,
                              std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto entry,
                           store.Stat(EndedIndexName(created, id), std::move(stop)));
  const auto known = entry ? SummaryFromMetadata(entry->metadata) : std::nullopt;
  return known && IsTerminal(known->state);
}

Status RemoveIndex(store::Store& store, WallTime created, std::string_view id,
                   std::stop_token stop) {
  // The second one keeps the job in the list if the removal is interrupted.
  for (const std::string& name : {IndexName(created, id), EndedIndexName(created, id)}) {
    KINETIC_RETURN_IF_ERROR(RemoveEntry(store, name, stop));
  }
  return {};
}

}  // namespace kinetic::record
