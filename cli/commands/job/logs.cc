#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/log_filter.h"
#include "commands/job/log_printer.h"
#include "commands/job/selection.h"
#include "commands/job/time_options.h"
#include "commands/tasks/task_option.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/reader_watch.h"
#include "output/text.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct LogsOptions {
  std::vector<std::string> ids;
  JobSelectors selectors;
  std::optional<std::string> tasks;
  bool follow = false;
  std::optional<std::uint64_t> tail;
  std::optional<std::uint64_t> since_sequence;
  LogLineOptions lines;
  std::optional<std::string> since;
  std::optional<std::string> until;
  std::optional<std::string> pattern;
};

/// The last records that match, with their texts.
class LastRecords {
 public:
  explicit LastRecords(std::uint64_t limit) : limit_(limit) {}

  void Add(const LogRecord& record) {
    records_.emplace_back(record, std::string(record.text));
    if (records_.size() > limit_) records_.pop_front();
  }

  Status Print(LogPrinter& printer) {
    for (auto& [record, text] : records_) {
      record.text = text;
      KINETIC_RETURN_IF_ERROR(printer.Print(record));
    }
    return {};
  }

 private:
  std::uint64_t limit_;
  std::deque<std::pair<LogRecord, std::string>> records_;
};

Result<LogFilter> ReadFilter(const LogsOptions& options) {
  LogFilter filter;
  if (options.since) {
    KINETIC_ASSIGN_OR_RETURN(filter.since, ParseMoment("--since", *options.since));
  }
  if (options.until) {
    KINETIC_ASSIGN_OR_RETURN(filter.until, ParseMoment("--until", *options.until));
  }
  if (filter.since && filter.until && *filter.since >= *filter.until)
    return Fail(ErrorCode::kInvalidArgument, "--until is not after --since",
                "an age such as 5m counts back from now: --since 5m --until 1m");
  if (options.pattern) {
    KINETIC_ASSIGN_OR_RETURN(filter.pattern, Pattern::Parse(*options.pattern));
  }
  if (options.tail && options.follow)
    KINETIC_RETURN_IF_ERROR(
        CheckExclusive(true, "--tail with --follow", filter.IsGiven(),
                       filter.pattern ? "--grep" : (filter.since ? "--since" : "--until")));
  return filter;
}

/// Explains an empty answer: a job that has written nothing, or a filter that matches nothing.
void NoteEmpty(const Job& job, bool is_filtered, const Context& context) {
  if (is_filtered)
    return context.output.Note("no log line of job " + ShownId(job.id()) + " matches");
  const auto summary = job.Summary(context.stop);
  if (!summary) return;
  const bool has_reason = !summary->reason.empty() && summary->reason != Name(summary->state);
  context.output.Note(fmt::format("job {} has no output ({}{})", ShownId(job.id()),
                                  Name(summary->state), has_reason ? ": " + summary->reason : ""));
}

/// Prints the log of one job.
Status PrintLog(const Job& job, const LogsOptions& options, const LogFilter& filter,
                LogPrinter printer, const Context& context, const std::stop_token& stop) {
  const bool select_first = !options.follow && (filter.IsGiven() || options.lines.stream);
  std::optional<LastRecords> last;
  if (options.tail && select_first) last.emplace(*options.tail);
  const auto take = [&](const LogRecord& record) -> Status {
    if (!filter.Matches(record)) return {};
    if (!last) return printer.Print(record);
    if (printer.IsWanted(record)) last->Add(record);
    return {};
  };
  const LogOptions log{.follow = options.follow,
                       .from_sequence = options.since_sequence.value_or(0),
                       .tail = last ? std::nullopt : options.tail,
                       .stop = stop};
  KINETIC_RETURN_IF_ERROR(job.Logs(log, take));
  if (last) KINETIC_RETURN_IF_ERROR(last->Print(printer));
  printer.Finish();
  const bool is_filtered = filter.IsGiven() || options.lines.stream || options.since_sequence;
  const bool is_one_of_many = printer.IsLabelled() && FindTaskReference(job.id());
  if (printer.IsEmpty() && !is_one_of_many && !options.follow && options.tail != 0)
    NoteEmpty(job, is_filtered, context);
  return {};
}

/// Returns the beginning of the lines of a task: "[3] ".
std::string TaskLabel(std::uint32_t task) { return fmt::format("[{}] ", task); }

/// Returns the labels of the lines of several jobs or tasks: the names that the user passed, or else the IDs,
/// in different colors. The only job has an empty label.
std::vector<std::string> LabelsOf(const std::vector<Job>& jobs, const LogsOptions& options,
                                  const Context& context) {
  if (jobs.size() == 1) return {std::string()};
  constexpr std::array kColors = {36, 33, 35, 32, 34, 31};
  std::vector<std::string> labels;
  labels.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (const auto task = FindTaskReference(jobs[i].id())) {
      labels.push_back(TaskLabel(task->task));
      continue;
    }
    const bool has_word = options.ids.size() == jobs.size();
    const std::string word = has_word ? options.ids[i] : std::string();
    // A word that does not begin the ID is the name.
    const bool is_name = !word.empty() && word != "latest" && !jobs[i].id().starts_with(word);
    const std::string& label = is_name ? word : jobs[i].id();
    const bool is_colored = context.output.IsStyled() && !context.output.IsJson();
    labels.push_back(
        is_colored ? fmt::format("\x1b[{}m{}\x1b[0m | ", kColors.at(i % kColors.size()), label)
                   : label + " | ");
  }
  return labels;
}

/// Follows the logs of several jobs at once. Their lines are printed as they come.
Status FollowAll(const std::vector<Job>& jobs, const std::vector<std::string>& labels,
                 const LogsOptions& options, const LogFilter& filter, const Context& context,
                 const std::stop_token& stop) {
  std::vector<std::future<Status>> followed;
  followed.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    followed.push_back(std::async(std::launch::async, [&, i] {
      return PrintLog(jobs[i], options, filter,
                      LogPrinter(jobs[i], labels[i], options.lines, context), context, stop);
    }));
  Status first;
  for (std::future<Status>& each : followed) {
    const Status status = each.get();
    if (first && !status) first = status;
  }
  return first;
}

/// Prints the logs of the tasks of an array that have ended, in order, or as they end.
Status PrintTaskLogs(const Job& job, const LogsOptions& options, const LogFilter& filter,
                     const Context& context, const std::stop_token& stop) {
  const Tasks all(job);
  bool is_empty = true;
  LogsOptions of_task = options;
  of_task.follow = false;  // the task has ended
  const auto print = [&](const TaskSummary& ended) -> Status {
    is_empty = false;
    KINETIC_ASSIGN_OR_RETURN(const Job task, all.At(ended.task, stop));
    return PrintLog(task, of_task, filter,
                    LogPrinter(task, TaskLabel(ended.task), of_task.lines, context), context, stop);
  };
  if (options.follow) return all.Each(print, {.stop = stop});
  const auto print_next = [&](const TaskSummary& ended) -> Result<bool> {
    KINETIC_RETURN_IF_ERROR(print(ended));
    return true;
  };
  KINETIC_RETURN_IF_ERROR(all.ListEnded(print_next, 0, stop));
  if (is_empty)
    context.output.Note(fmt::format(
        "no task of job {0} has ended; for the log of one task: kinetic logs {0} --task N",
        job.id()));
  return {};
}

/// Returns whether the only job is an array. An array cannot be one of several jobs.
Result<bool> IsArray(const std::vector<Job>& jobs, const Context& context) {
  for (const Job& job : jobs) {
    if (FindTaskReference(job.id())) return false;
    KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
    if (!summary.tasks) continue;
    if (jobs.size() == 1) return true;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("job {} is an array, which has a log for each task", job.id()),
                "print its logs alone: kinetic logs " + job.id());
  }
  return false;
}

/// Writes why followed jobs have no output yet. The log itself reports errors.
void NoteWaiting(const std::vector<Job>& jobs, const std::stop_token& stop,
                 const Context& context) {
  for (const Job& job : jobs) {
    const auto summary = job.Summary(stop);
    if (!summary) continue;
    if (summary->state != JobState::kQueued && summary->state != JobState::kPending) continue;
    context.output.Note("job " + ShownId(job.id()) + " is " + std::string(Name(summary->state)) +
                        (summary->reason.empty() ? "" : ": " + summary->reason));
  }
}

/// Writes how followed jobs ended, except for those that succeeded.
void NoteEnds(const std::vector<Job>& jobs, const std::stop_token& stop, const Context& context) {
  constexpr std::chrono::seconds kLongestWait(10);
  if (context.output.IsJson()) return;
  for (const Job& job : jobs) {
    const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
    const auto outcome =
        job.Wait({.stop = stop, .deadline = deadline, .content = OutcomeContent::kState});
    if (!outcome || outcome->state == JobState::kSucceeded) continue;
    context.output.Note(ErrorOf(*outcome).message);
  }
}

Result<int> Run(LogsOptions options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const LogFilter filter, ReadFilter(options));
  options.lines.brief_metrics = options.follow && !options.lines.raw && !filter.pattern;
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(std::vector<Job> found,
                           FindJobs(client, options.ids, options.selectors, context));
  if (options.ids.empty() && !options.selectors.IsGiven())
    context.output.Note("job " + found.front().id());
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs, SelectTasks(std::move(found), options.tasks,
                                                                    TaskNumber::kSeveral, context));
  KINETIC_ASSIGN_OR_RETURN(const bool is_array, IsArray(jobs, context));
  const std::vector<std::string> labels = LabelsOf(jobs, options, context);
  std::optional<ReaderWatch> reader;
  std::jthread noting;  // stops when the logs have ended
  if (options.follow) {
    reader.emplace(context.output, context.stop);
    noting = std::jthread([&](const std::stop_token& ended) { NoteWaiting(jobs, ended, context); });
  }
  const std::stop_token stop = reader ? reader->token() : context.stop;
  if (is_array) {
    KINETIC_RETURN_IF_ERROR(PrintTaskLogs(jobs.front(), options, filter, context, stop));
    return kSuccess;
  }
  if (jobs.size() > 1 && options.follow) {
    KINETIC_RETURN_IF_ERROR(FollowAll(jobs, labels, options, filter, context, stop));
    NoteEnds(jobs, stop, context);
    return kSuccess;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    KINETIC_RETURN_IF_ERROR(PrintLog(jobs[i], options, filter,
                                     LogPrinter(jobs[i], labels[i], options.lines, context),
                                     context, stop));
  if (options.follow) NoteEnds(jobs, stop, context);
  return kSuccess;
}

void AddFilter(Command& command, LogsOptions& options) {
  command.Text(
      {"--since", "TIME", "Print only records after this time: an age such as 5m, or RFC 3339"},
      options.since);
  command.Text({"--until", "TIME", "Print only records before this time"}, options.until);
  command.Text({"--grep", "RE", "Print only lines that match this extended regular expression"},
               options.pattern);
  command.Text({.names = "--stream",
                .placeholder = "STREAM",
                .doc = "Print only this stream; 'system' contains kinetic's own messages",
                .choices = {"stdout", "stderr", "system"}},
               options.lines.stream);
}

}  // namespace

void RegisterLogs(Command& parent) {
  Command& command = parent.Add(
      {.name = "logs",
       .summary = "Print the logs of jobs",
       .description =
           "Print the output that jobs wrote to stdout and stderr. Without ID, prints the log of "
           "your newest\n"
           "job. With several jobs, each line starts with the name or ID. Of an array, prints the "
           "logs of the\n"
           "tasks that have ended, in their order, or with --follow as they end. Each line starts "
           "with the task\n"
           "in brackets. With --follow, metrics are one short line per second, or with --raw the "
           "lines of the job.\n"
           "With --json, each line is one record with sequence, time, stream, attempt, and text.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic logs -f", "kinetic logs hello --tail 20 --timestamps",
                    "kinetic logs hello --since 5m --grep 'loss|error'",
                    "kinetic logs -f hello c5xk"}});
  auto options = std::make_shared<LogsOptions>();
  AddJobsArgument(command, options->ids);
  AddSelectors(command, "Print the logs of", options->selectors);
  AddTaskOption(command, "Print the logs of", TaskNumber::kSeveral, options->tasks);
  command.Flag({"-f,--follow", "", "Follow the log until it ends"}, options->follow);
  command.Number({"-n,--tail", "N", "Start with the last N of the selected records"},
                 options->tail);
  command.Number({"--since-sequence", "N", "Start with record N"}, options->since_sequence);
  AddFilter(command, *options);
  command.Flag({"-t,--timestamps", "", "Prefix each line with its time"},
               options->lines.timestamps);
  command.Flag({"--raw", "", "Print metrics, and control characters to a terminal, unchanged"},
               options->lines.raw);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
