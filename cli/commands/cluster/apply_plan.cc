#include "commands/cluster/apply_plan.h"

#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/cluster/plan_output.h"
#include "exit_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace kinetic::cli {
namespace {

/// Grants take a second and are many, so only failures are worth a line.
bool IsMinor(const PlanStep& step) { return step.kind == "access"; }

std::string NameOf(const PlanStep& step) { return fmt::format("{} {}", step.kind, step.name); }

std::string_view Past(PlanAction action) {
  switch (action) {
    case PlanAction::kCreate:
      return "created";
    case PlanAction::kChange:
      return "changed";
    case PlanAction::kReplace:
      return "replaced";
    case PlanAction::kDelete:
      return "deleted";
    case PlanAction::kKeep:
      break;
  }
  return "kept";
}

std::string_view Present(PlanAction action) {
  switch (action) {
    case PlanAction::kCreate:
      return "creating";
    case PlanAction::kChange:
      return "changing";
    case PlanAction::kReplace:
      return "replacing";
    case PlanAction::kDelete:
      return "deleting";
    case PlanAction::kKeep:
      break;
  }
  return "keeping";
}

/// Prints one line for each step when it ends, and one when a slow step starts. Between them, a
/// terminal shows the steps in progress.
///
/// @threads  safe to call concurrently.
class PlanProgress final : public PlanObserver {
 public:
  explicit PlanProgress(Output& output) : output_(output), view_(output.StartProgress()) {}

  void OnStepStarted(const PlanStep& step) override {
    {
      const std::lock_guard lock(mutex_);
      running_.push_back(NameOf(step));
      ShowRunning();
    }
    if (step.expected.count() == 0) return;
    output_.Note(fmt::format("{} {} ({})", Present(step.action), NameOf(step), MinutesText(step)));
  }

  void OnStepFinished(const PlanStep& step, const Status& status) override {
    {
      const std::lock_guard lock(mutex_);
      std::erase(running_, NameOf(step));
      ShowRunning();
    }
    if (status) {
      if (!IsMinor(step)) output_.Note(fmt::format("{} {}", Past(step.action), NameOf(step)));
      return;
    }
    if (status.error().code != ErrorCode::kCancelled)
      output_.Note(fmt::format("failed: {}", NameOf(step)));
    const std::lock_guard lock(mutex_);
    failures_.push_back(status.error());
  }

  /// Warns about all failures except `reported`, the command's error, which may be empty.
  void ReportOthers(const Error& reported) const {
    for (const Error& error : failures_) {
      if (error.message == reported.message || error.code == ErrorCode::kCancelled) continue;
      output_.Warn(error.hint.empty() ? error.message : error.message + "; " + error.hint);
    }
  }

  void OnStepWaiting(const PlanStep& step, std::string_view reason) override {
    std::string line = fmt::format("{}: waiting {}", NameOf(step), reason);
    {
      const std::lock_guard lock(mutex_);
      if (line == last_wait_) return;
      last_wait_ = line;
    }
    output_.Note(line);
  }

 private:
  void ShowRunning() const {
    if (!running_.empty())
      view_->Follow(fmt::format("{}", fmt::join(running_, ", ")), Clock::now() - begin_);
  }

  using Clock = std::chrono::steady_clock;

  Output& output_;
  std::unique_ptr<Progress> view_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::vector<std::string> running_;
  std::string last_wait_;  ///< so that no line is repeated
  std::vector<Error> failures_;
};

}  // namespace

void AddApplyOptions(Command& command, ApplyOptions& options) {
  command.Flag({"-y,--yes", "", "Do not ask for confirmation"}, options.yes);
  command.Flag({"--dry-run", "", "Show the plan and change nothing"}, options.dry_run);
}

Status CheckReplacements(const ClusterPlan& plan, bool replace) {
  const auto step = std::ranges::find(plan.steps(), PlanAction::kReplace, &PlanStep::action);
  if (replace || step == plan.steps().end()) return {};
  std::string message = fmt::format("{} cannot be changed: it {}", NameOf(*step), step->detail);
  const auto& jobs = step->running_jobs;
  if (!jobs.empty()) message += fmt::format("; jobs run on it: {}", fmt::join(jobs, ", "));
  return Fail(ErrorCode::kFailedPrecondition, std::move(message),
              fmt::format("to delete it{} and create it again, add --replace",
                          jobs.empty() ? "" : " with its jobs"));
}

Status ConfirmPlan(std::string_view question, bool yes, Context& context) {
  if (yes) return {};
  const auto answer = context.output.Confirm(question, context.stop);
  if (!answer)
    return Fail(ErrorCode::kInvalidArgument, "cannot ask for confirmation without a terminal",
                "add --yes");
  if (!*answer) return Fail(ErrorCode::kCancelled, "nothing was changed");
  return {};
}

Status ApplyPlan(const ClusterPlan& plan, Context& context) {
  PlanProgress progress(context.output);
  Status applied = plan.Apply(progress, context.stop);
  progress.ReportOthers(applied ? Error{} : applied.error());
  if (!applied && applied.error().code == ErrorCode::kCancelled)
    context.output.Note(
        "interrupted: operations that have started continue in Google Cloud; run the same command "
        "again to continue");
  return applied;
}

Result<int> FinishPlan(const ClusterPlan& plan, std::string_view question,
                       const ApplyOptions& options, Context& context) {
  if (!options.dry_run && !plan.IsEmpty()) {
    KINETIC_RETURN_IF_ERROR(ConfirmPlan(question, options.yes, context));
    KINETIC_RETURN_IF_ERROR(ApplyPlan(plan, context));
  }
  if (context.output.IsJson()) context.output.Document(ToDocument(plan, !options.dry_run));
  return kSuccess;
}

}  // namespace kinetic::cli
