#include "record/ended_task.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "record/job_cost.h"
#include "record/json_fields.h"
#include "record/metric_fields.h"
#include "record/object_names.h"
#include "record/task_id.h"
#include "store/source.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kinetic::record {
namespace {

constexpr std::size_t kReasonLimit = 1024;
/// The maximum number of names in a response of Cloud Storage.
constexpr std::uint32_t kTasksOfListing = 1000;
constexpr std::uint32_t kListings = 10;  ///< at once

std::string MetadataText(const store::Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

std::optional<WallTime> MetadataTime(const store::Metadata& metadata, const std::string& key) {
  const auto micros = ParseInt(MetadataText(metadata, key));
  return micros ? std::optional(FromMicros(*micros)) : std::nullopt;
}

store::Metadata MetadataOf(const JobKey& key, const TaskSummary& task) {
  store::Metadata metadata = OwnerMetadata(key);
  metadata["state"] = Name(task.state);
  metadata["attempt"] = std::to_string(task.attempt);
  metadata["exit_code"] = std::to_string(task.exit_code);
  if (!task.reason.empty()) metadata["reason"] = Printable(task.reason.substr(0, kReasonLimit));
  if (task.started) metadata["started"] = std::to_string(ToMicros(*task.started));
  if (task.finished) metadata["finished"] = std::to_string(ToMicros(*task.finished));
  if (task.node_time.count() > 0) {
    metadata["node_milliseconds"] = std::to_string(task.node_time.count());
  }
  if (task.value) metadata["value"] = task.value->ToJson();
  if (std::string metrics = MetricsText(task.metrics, kSummaryMetricsBytes); !metrics.empty())
    metadata["metrics"] = std::move(metrics);
  return metadata;
}

std::optional<TaskSummary> SummaryFrom(std::string_view name, const store::Metadata& metadata) {
  const auto number = ParseInt(name.substr(name.rfind('/') + 1));
  const auto state = ParseJobState(MetadataText(metadata, "state"));
  const auto attempt = ParseInt(MetadataText(metadata, "attempt"));
  const auto exit_code = ParseInt(MetadataText(metadata, "exit_code"));
  if (!number || *number < 0 || *number >= kMaxTasks || !state || !attempt || !exit_code) {
    return std::nullopt;
  }
  TaskSummary task;
  task.task = static_cast<std::uint32_t>(*number);
  task.state = *state;
  task.attempt = static_cast<std::uint32_t>(*attempt);
  task.exit_code = static_cast<int>(*exit_code);
  task.reason = MetadataText(metadata, "reason");
  task.started = MetadataTime(metadata, "started");
  task.finished = MetadataTime(metadata, "finished");
  task.node_time = NodeTimeFromText(MetadataText(metadata, "node_milliseconds"));
  if (const auto value = metadata.find("value"); value != metadata.end()) {
    if (auto parsed = Value::FromJson(value->second)) task.value = *std::move(parsed);
  }
  task.metrics = MetricsFromText(MetadataText(metadata, "metrics"));
  return task;
}

std::optional<WallTime> TimeOf(const Outcome& outcome, std::string_view moment) {
  const auto& timeline = outcome.timeline;
  const auto found = std::find_if(timeline.rbegin(), timeline.rend(),
                                  [&](const auto& entry) { return entry.first == moment; });
  return found == timeline.rend() ? std::nullopt : std::optional(found->second);
}

}  // namespace

TaskSummary TaskSummaryOf(const StoredOutcome& stored) {
  const Outcome& outcome = stored.outcome;
  TaskSummary task;
  if (const auto id = ParseTaskId(stored.job.id)) task.task = id->task;
  task.state = outcome.state;
  task.attempt = outcome.attempt;
  task.exit_code = outcome.exit_code;
  task.reason = outcome.reason;
  task.started = TimeOf(outcome, "started");
  task.finished = TimeOf(outcome, "ended");
  if (!task.finished) task.finished = TimeOf(outcome, "finished");
  task.node_time = stored.node_time;
  const bool has_value = outcome.state == JobState::kSucceeded && !stored.value;
  if (has_value && outcome.value.ToJson().size() <= kSummaryValueBytes) task.value = outcome.value;
  task.metrics = LastMetrics(outcome.metrics);
  return task;
}

Status WriteEndedTask(store::Store& store, const StoredOutcome& stored, std::stop_token stop) {
  const TaskSummary task = TaskSummaryOf(stored);
  KINETIC_RETURN_IF_ERROR(store::PutBytes(store, EndedTaskName(stored.job.id, task.task), {},
                                          store::Precondition::Absent(), std::move(stop),
                                          MetadataOf(stored.job, task)));
  return {};
}

Status ListEndedTasks(store::Store& store, const JobKey& job, std::uint32_t first,
                      const std::function<Result<bool>(const TaskSummary&)>& each,
                      std::stop_token stop) {
  const std::string start = first == 0 ? std::string() : EndedTaskName(job.id, first);
  return store.List(
      EndedTaskFolder(job.id), start,
      [&](const store::ObjectInfo& info) -> Result<bool> {
        const auto task = SummaryFrom(info.name, info.metadata);
        if (!task) return true;
        const JobKey owner = OwnerFromMetadata(info.metadata);
        if (!job.nonce.empty() && JobNonce(owner.nonce) != job.nonce) return true;
        return each(*task);
      },
      std::move(stop));
}

Status ListEndedTasks(store::Store& store, const JobKey& job, TaskRange tasks,
                      const std::function<Result<bool>(const TaskSummary&)>& each,
                      std::stop_token stop) {
  const std::uint32_t end = tasks.first + tasks.count;
  for (std::uint32_t first = tasks.first; first < end; first += kListings * kTasksOfListing) {
    std::array<std::vector<TaskSummary>, kListings> listings;
    const auto list = [&](std::size_t i, const std::stop_token& part_stop) -> Status {
      const auto begin = first + static_cast<std::uint32_t>(i) * kTasksOfListing;
      if (begin >= end) return {};
      const std::uint32_t last = std::min(end, begin + kTasksOfListing) - 1;
      const auto take = [&](const TaskSummary& task) -> Result<bool> {
        if (task.task <= last) listings.at(i).push_back(task);
        return task.task < last;
      };
      return ListEndedTasks(store, job, begin, take, part_stop);
    };
    KINETIC_RETURN_IF_ERROR(ParallelFor(kListings, kListings, stop, list));
    for (const auto& listing : listings) {
      for (const TaskSummary& task : listing) {
        KINETIC_ASSIGN_OR_RETURN(const bool goes_on, each(task));
        if (!goes_on) return {};
      }
    }
  }
  return {};
}

}  // namespace kinetic::record
