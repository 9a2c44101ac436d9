#include "kinetic/cluster_status.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/options.h"
#include "commands/cluster/pool_table.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct StatusOptions {
  std::optional<std::string> file;
};

Value StatusDocument(const ClusterStatus& status) {
  return Value::Map{
      {"name", status.name},
      {"location", status.location},
      {"status", status.status},
      {"version", TextOrNull(status.version)},
      {"running_jobs", status.running_jobs ? Number(*status.running_jobs) : Value()},
      {"error", status.access_status ? Value() : Value(status.access_status.error().message)},
      {"price_per_hour", status.price_per_hour ? Value(*status.price_per_hour) : Value()},
      {"price_date", TextOrNull(status.price_date)},
      {"estimated_cost_this_month",
       status.cost_this_month ? Value(*status.cost_this_month) : Value()},
      {"expires", status.expires ? Value(FormatTime(*status.expires)) : Value()},
      {"down_when_idle_seconds",
       status.down_when_idle ? Value(status.down_when_idle->count()) : Value()},
      {"shutdown_error",
       status.shutdown_status ? Value() : Value(status.shutdown_status.error().message)},
      {"users", Value::List(status.users.begin(), status.users.end())},
      {"pools", PoolDocuments(status.pools)}};
}

void ShowShutdown(const ClusterStatus& status, Context& context) {
  if (status.expires) {
    const auto left = *status.expires - std::chrono::system_clock::now();
    context.output.Paragraph(fmt::format("automatic deletion: in {}", FormatDuration(left)));
  }
  if (status.down_when_idle) {
    context.output.Paragraph(fmt::format("automatic deletion: after {} without jobs",
                                         FormatDuration(*status.down_when_idle)));
  }
}

Result<int> Run(const StatusOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecOf(options.file, context));
  KINETIC_ASSIGN_OR_RETURN(const ClusterStatus status,
                           GetClusterStatus(spec, ClusterAdminOptionsOf(context), context.stop));
  if (context.output.IsJson()) {
    context.output.Document(StatusDocument(status));
    KINETIC_RETURN_IF_ERROR(status.shutdown_status);
    return kSuccess;
  }
  context.output.Paragraph(fmt::format("cluster {} in {}: {}, Kubernetes {}", status.name,
                                       status.location, status.status, status.version));
  ReportAccess(status, context);
  context.output.Paragraph(
      fmt::format("running jobs: {}", status.running_jobs ? fmt::format("{}", *status.running_jobs)
                                                          : std::string("unknown")));
  const std::string price =
      status.price_per_hour ? fmt::format("${:.2f}", *status.price_per_hour) : "unknown";
  context.output.Paragraph(
      fmt::format("price per hour now: {}{}", price, DateText(status.price_date)));
  if (status.cost_this_month)
    context.output.Paragraph(
        fmt::format("estimated cost this month: ${:.2f} for the cluster and its existing nodes "
                    "since they were created",
                    *status.cost_this_month));
  ShowShutdown(status, context);
  if (!status.users.empty())
    context.output.Paragraph(fmt::format("users: {}", fmt::join(status.users, ", ")));
  context.output.Show(PoolTable(status.pools));
  KINETIC_RETURN_IF_ERROR(status.shutdown_status);
  return kSuccess;
}

}  // namespace

void RegisterClusterStatus(Command& parent) {
  Command& command = parent.Add(
      {.name = "status",
       .summary = "Show node pools, running jobs, and the current price",
       .description = "Show the cluster's node pools with their nodes, the number of running jobs, "
                      "the price per hour of\n"
                      "what exists now, and an estimate of what it cost this month.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic cluster status", "kinetic cluster status --cluster team --json"}});
  auto options = std::make_shared<StatusOptions>();
  AddClusterFileOption(command, options->file);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
