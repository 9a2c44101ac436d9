#include "job.h"

#include "kinetic/job_cost.h"
#include "kinetic/outcome.h"
#include "kinetic/stored_values.h"
#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "conversions.h"
#include "errors.h"
#include "event_observer.h"
#include "log_thread.h"
#include "waiting_call.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

nb::dict DictOf(const TaskCounts& counts) {
  nb::dict fields;
  fields["tasks"] = counts.tasks;
  fields["running"] = counts.running;
  fields["succeeded"] = counts.succeeded;
  fields["failed"] = counts.failed;
  fields["cancelled"] = counts.cancelled;
  return fields;
}

nb::object DictOf(const std::optional<JobCost>& cost, const JobSummary& job) {
  if (!cost) return nb::none();
  nb::dict fields;
  fields["dollars"] = cost->dollars;
  fields["node_seconds"] = std::chrono::duration<double>(cost->node_time).count();
  fields["price_per_hour"] = cost->price.dollars_per_hour;
  fields["price_date"] = cost->price.date;
  fields["is_current_price"] = cost->is_current_price;
  fields["region"] = job.price->region;
  fields["nodes"] = std::string(Name(job.price->provisioning));
  return fields;
}

nb::object DictOf(const RemoteException* exception) {
  if (exception == nullptr) return nb::none();
  nb::dict fields;
  fields["type"] = exception->type;
  fields["message"] = exception->message;
  fields["text"] = exception->Format();
  fields["attributes"] = ToPython(exception->attributes);
  fields["relation"] = exception->relation;
  fields["cause"] = DictOf(exception->cause.get());
  return fields;
}

nb::dict DictOf(const Outcome& outcome) {
  nb::dict fields;
  fields["job"] = outcome.job;
  fields["state"] = std::string(Name(outcome.state));
  fields["value"] = ToPython(outcome.value);
  fields["exception"] = DictOf(outcome.exception ? &*outcome.exception : nullptr);
  fields["exit_code"] = outcome.exit_code;
  fields["reason"] = outcome.reason;
  fields["attempt"] = outcome.attempt;
  fields["is_array"] = outcome.tasks.has_value();
  if (outcome.state == JobState::kSucceeded) return fields;
  const Error error = ErrorOf(outcome);
  fields["code"] = std::string(Name(error.code));
  fields["message"] = error.message;
  return fields;
}

/// Returns the outcome with its arrays and long bytes.
Result<Outcome> WithStored(const Job& job, Outcome outcome, const std::stop_token& stop) {
  if (outcome.state != JobState::kSucceeded) return outcome;
  KINETIC_ASSIGN_OR_RETURN(outcome.value, LoadStored(job, outcome.value, stop));
  return outcome;
}

/// Waits for the end of a job, and posts its progress.
nb::dict Wait(const JobHandle& handle, std::optional<double> timeout, bool value, bool log,
              nb::object on_event, const Stop* stop) {
  const auto deadline = DeadlineAfter(timeout);
  const auto content = value ? OutcomeContent::kAll : OutcomeContent::kState;
  WaitingCall call(std::move(on_event), stop, Ticks::kYes);
  EventObserver observer(call);
  return DictOf(ValueOrRaise(call.Run([&](const std::stop_token& stopping) -> Result<Outcome> {
    const Job& job = *handle.job;
    std::optional<LogThread> reader;
    if (log) reader.emplace(job, call);
    auto outcome = job.Wait(
        {.stop = stopping, .deadline = deadline, .content = content, .observer = &observer});
    if (reader) reader->Finish(outcome.has_value());
    if (!outcome) return Failure(std::move(outcome).error());
    return value ? WithStored(job, *std::move(outcome), stopping) : outcome;
  })));
}

void ReadLog(const JobHandle& handle, nb::object on_event, bool follow,
             std::optional<std::uint64_t> tail) {
  WaitingCall call(std::move(on_event));
  ValueOrRaise(call.Run([&](const std::stop_token& stopping) {
    return handle.job->Logs({.follow = follow, .tail = tail, .stop = stopping}, PostTo(call));
  }));
}

void Cancel(const JobHandle& handle) {
  ValueOrRaise(WaitingCall().Run(
      [&](const std::stop_token& stop) { return handle.job->Cancel({.stop = stop}); }));
}

nb::dict Summary(const JobHandle& handle) {
  const JobSummary summary = ValueOrRaise(
      WaitingCall().Run([&](const std::stop_token& stop) { return handle.job->Summary(stop); }));
  return SummaryFields(summary, handle.prices);
}

nb::list Outputs(const JobHandle& handle) {
  nb::list files;
  for (const OutputFile& file : ValueOrRaise(WaitingCall().Run(
           [&](const std::stop_token& stop) { return handle.job->Outputs(stop); })))
    files.append(nb::make_tuple(file.path, file.size_bytes, ToSeconds(file.stored)));
  return files;
}

nb::tuple Fetch(const JobHandle& handle, const std::string& folder, std::vector<std::string> paths,
                bool replace) {
  const FetchOptions options{.folder = folder, .paths = std::move(paths), .replace = replace};
  const FetchReport report = ValueOrRaise(WaitingCall().Run(
      [&](const std::stop_token& stop) { return handle.job->FetchOutputs(options, stop); }));
  return nb::make_tuple(report.files, report.bytes);
}

JobHandle TaskAt(const JobHandle& handle, std::uint32_t index) {
  return {Owned(ValueOrRaise(WaitingCall().Run(
              [&](const std::stop_token& stop) { return Tasks(*handle.job).At(index, stop); }))),
          handle.prices};
}

/// Returns the index and the state of each task that has ended.
nb::list EndedTasks(const JobHandle& handle) {
  nb::list ended;
  std::vector<TaskSummary> tasks;
  ValueOrRaise(WaitingCall().Run([&](const std::stop_token& stop) {
    const auto add = [&](const TaskSummary& task) -> Result<bool> {
      tasks.push_back({.task = task.task, .state = task.state});
      return true;
    };
    return Tasks(*handle.job).ListEnded(add, 0, stop);
  }));
  for (const TaskSummary& task : tasks)
    ended.append(nb::make_tuple(task.task, std::string(Name(task.state))));
  return ended;
}

/// Reports each task that ends: its index, and the JSON of a small value.
void EachTask(const JobHandle& handle, nb::object on_event, std::optional<double> timeout,
              const Stop* stop) {
  const auto deadline = DeadlineAfter(timeout);
  WaitingCall call(std::move(on_event), stop);
  ValueOrRaise(call.Run([&](const std::stop_token& stopping) {
    const auto report = [&](const TaskSummary& task) -> Status {
      call.Post({std::string(Name(task.state)), std::to_string(task.task),
                 task.value ? task.value->ToJson() : std::string()});
      return {};
    };
    return Tasks(*handle.job).Each(report, {.stop = stopping, .deadline = deadline});
  }));
}

}  // namespace

nb::dict SummaryFields(const JobSummary& summary, const Prices& prices) {
  nb::dict fields;
  fields["id"] = summary.id;
  fields["name"] = summary.name;
  fields["owner"] = summary.owner;
  fields["target"] = summary.target;
  fields["state"] = std::string(Name(summary.state));
  fields["reason"] = summary.reason;
  fields["accelerator"] = summary.accelerator;
  fields["attempt"] = summary.attempt;
  fields["created"] = ToSeconds(summary.created);
  fields["started"] = ToSeconds(summary.started);
  fields["finished"] = ToSeconds(summary.finished);
  nb::dict tags;
  for (const auto& [name, value] : summary.tags) tags[name.c_str()] = value;
  fields["tags"] = tags;
  fields["cost"] = DictOf(CostOf(summary, prices, std::chrono::system_clock::now()), summary);
  fields["tasks"] = nb::none();
  if (summary.tasks) fields["tasks"] = DictOf(*summary.tasks);
  return fields;
}

void BindJob(nb::module_& module) {
  nb::class_<Stop>(module, "Stop").def(nb::init<>()).def("request", &Stop::Request);
  nb::class_<JobHandle>(module, "Job")
      .def_prop_ro("id", [](const JobHandle& handle) { return handle.job->id(); })
      .def("summary", &Summary)
      .def("wait", &Wait, "timeout"_a.none(), "value"_a, "log"_a, "on_event"_a.none(),
           "stop"_a.none())
      .def("read_log", &ReadLog, "on_event"_a, "follow"_a, "tail"_a.none())
      .def("cancel", &Cancel)
      .def("outputs", &Outputs)
      .def("fetch", &Fetch, "folder"_a, "paths"_a, "replace"_a)
      .def("task", &TaskAt, "index"_a)
      .def("ended_tasks", &EndedTasks)
      .def("each_task", &EachTask, "on_event"_a, "timeout"_a.none(), "stop"_a.none());
}

}  // namespace kinetic::python
