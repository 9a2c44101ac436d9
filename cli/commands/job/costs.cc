#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/concurrently.h"
#include "commands/job/cost_table.h"
#include "commands/job/cost_view.h"
#include "commands/job/list_options.h"
#include "commands/job/selection.h"
#include "context.h"
#include "exit_code.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct CostsOptions {
  std::vector<std::string> ids;
  JobListing listing;
};

using Jobs = std::vector<JobSummary>;

Result<Jobs> ReadSummaries(Client& client, const CostsOptions& options, const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> found, FindJobs(client, options.ids, context));
  auto summaries = Concurrently<Result<JobSummary>, Job>(
      found, [&](const Job& job) { return job.Summary(context.stop); });
  Jobs jobs;
  for (Result<JobSummary>& summary : summaries) {
    if (!summary) return Failure(std::move(summary).error());
    jobs.push_back(*std::move(summary));
  }
  return jobs;
}

Result<Jobs> ReadJobs(Client& client, const CostsOptions& options, const Context& context) {
  if (!options.ids.empty()) return ReadSummaries(client, options, context);
  KINETIC_ASSIGN_OR_RETURN(ListOptions list, ToListOptions(options.listing, "costs", context));
  Warnings warnings(context.output);
  list.observer = &warnings;
  return client.List(list, context.stop);
}

Result<int> Run(const CostsOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckExclusive(!options.ids.empty(), "ID", options.listing.IsGiven(),
                                         "an option that selects jobs"));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Jobs jobs, ReadJobs(client, options, context));
  const CostList list(jobs, CostsNow(context));
  if (context.output.IsJson()) {
    context.output.Document(list.Document());
    return kSuccess;
  }
  if (jobs.empty()) {
    context.output.Note(NoJobs(options.listing, context));
    return kSuccess;
  }
  context.output.Show(list.ToTable());
  for (const std::string& note : list.Notes()) context.output.Note(note);
  if (options.ids.empty()) NoteLimit(options.listing, jobs.size(), context);
  return kSuccess;
}

}  // namespace

void RegisterCosts(Command& parent) {
  Command& command = parent.Add(
      {.name = "costs",
       .summary = "Show what jobs cost",
       .description =
           "Show for how long jobs held nodes of Google Cloud, and what these nodes cost at list "
           "prices. Shows the\n"
           "last 20 jobs by default. RATIO compares each cost with the lowest one. Nodes without a "
           "job, storage,\n"
           "network, and the cluster itself are not included. A cost with ~ uses the current "
           "price, "
           "because the\n"
           "price was unknown when the job was submitted.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic costs", "kinetic costs train-tpu train-gpu",
                    "kinetic costs --tag study=lora --all --json"}});
  auto options = std::make_shared<CostsOptions>();
  AddJobsArgument(command, options->ids);
  AddListOptions(command, options->listing);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
