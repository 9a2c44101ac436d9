#include "commands/cluster/plan_output.h"

#include "commands/cluster/pool_table.h"
#include "documents.h"

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

std::string MinutesText(const PlanStep& step) {
  return step.expected.count() == 0 ? "" : fmt::format("about {} min", step.expected.count());
}

Value StepDocument(const PlanStep& step) {
  Value::List requests;
  for (const PlannedRequest& request : step.requests)
    requests.emplace_back(
        Value::Map{{"method", request.method}, {"url", request.url}, {"body", request.body}});
  Value::List jobs;
  for (const std::string& job : step.running_jobs) jobs.emplace_back(job);
  return Value::Map{{"action", std::string(Name(step.action))},
                    {"kind", step.kind},
                    {"name", step.name},
                    {"detail", TextOrNull(step.detail)},
                    {"expected_minutes", Number(static_cast<std::uint64_t>(step.expected.count()))},
                    {"requests", std::move(requests)},
                    {"running_jobs", std::move(jobs)}};
}

Value QuotaDocument(const QuotaNeed& quota) {
  return Value::Map{{"name", quota.name},
                    {"region", quota.region},
                    {"needed", quota.needed},
                    {"available", quota.available ? Value(*quota.available) : Value()}};
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

  /// Warns about the failures other than the command's error.
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

void ShowWarnings(const ClusterPlan& plan, Context& context) {
  for (const std::string& warning : plan.warnings()) context.output.Warn(warning);
}

}  // namespace

Table ToTable(const ClusterPlan& plan, bool with_kept) {
  Table table{.headings = {"ACTION", "KIND", "NAME", "DETAIL", "TIME"},
              .droppable = {"TIME"},
              .whole = {"ACTION", "KIND", "NAME"},
              .below = "DETAIL"};
  for (const PlanStep& step : plan.steps()) {
    if (step.action == PlanAction::kKeep && !with_kept) continue;
    table.rows.push_back(
        {std::string(Name(step.action)), step.kind, step.name, step.detail, MinutesText(step)});
  }
  return table;
}

Value ToDocument(const ClusterPlan& plan, bool applied) {
  Value::List steps;
  for (const PlanStep& step : plan.steps()) steps.push_back(StepDocument(step));
  Value::List quotas;
  for (const QuotaNeed& quota : plan.quotas()) quotas.push_back(QuotaDocument(quota));
  Value::List warnings;
  for (const std::string& warning : plan.warnings()) warnings.emplace_back(warning);
  const ClusterPrice& price = plan.price();
  const Value prices(
      Value::Map{{"idle", price.idle},
                 {"busy", price.busy ? Value(*price.busy) : Value()},
                 {"busy_before", price.busy_before ? Value(*price.busy_before) : Value()},
                 {"currency", "USD"},
                 {"date", TextOrNull(price.date)},
                 {"tpu_date", TextOrNull(price.tpu_date)}});
  Value::List jobs;
  for (const std::string& job : plan.running_jobs()) jobs.emplace_back(job);
  return Value::Map{{"project", plan.spec().project}, {"location", plan.spec().location},
                    {"cluster", plan.spec().name},    {"applied", applied},
                    {"steps", std::move(steps)},      {"price_per_hour", prices},
                    {"quotas", std::move(quotas)},    {"running_jobs", std::move(jobs)},
                    {"warnings", std::move(warnings)}};
}

std::string PriceText(const ClusterPrice& price) {
  // The plan for one pool has no price of the cluster.
  std::string text = price.idle > 0 ? fmt::format("${:.2f} per hour idle", price.idle) : "";
  const bool changes = price.busy_before && price.busy_before != price.busy;
  if (changes || price.busy != price.idle) {
    const std::string busy =
        price.busy ? fmt::format("${:.2f}", *price.busy) : std::string("an unknown price");
    text += text.empty() ? busy + " per hour" : ", " + busy;
    text += " with all nodes of these pools busy";
  }
  if (changes) text += fmt::format(" instead of ${:.2f}", *price.busy_before);
  return text + " (list prices of " + DatesText(price.date, price.tpu_date) + ")";
}

void ShowPlan(const ClusterPlan& plan, std::string_view up_to_date, Context& context) {
  if (plan.IsEmpty()) {
    context.output.Note(up_to_date);
    ShowWarnings(plan, context);
    return;
  }
  context.output.Show(ToTable(plan, false));
  for (const QuotaNeed& quota : plan.quotas()) {
    const std::string available =
        quota.available ? fmt::format("{:g} available", *quota.available) : "availability unknown";
    context.output.Paragraph(fmt::format("quota {} in {}: {:g} needed, {}", quota.name,
                                         quota.region, quota.needed, available));
  }
  context.output.Paragraph(PriceText(plan.price()));
  ShowWarnings(plan, context);
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
  if (applied) return applied;
  progress.ReportOthers(applied.error());
  if (applied.error().code == ErrorCode::kCancelled)
    context.output.Note(
        "interrupted: operations that have started continue in Google Cloud; run the same command "
        "again to continue");
  return applied;
}

}  // namespace kinetic::cli
