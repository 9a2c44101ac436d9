#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"
#include "settings/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {
namespace {

struct GcOptions {
  bool dry_run = false;
  bool verify = false;
  bool outputs = false;
  bool all = false;
  std::optional<std::string> jobs_older_than;
};

Result<int> Run(const GcOptions& options, Context& context) {
  GarbageOptions garbage{.dry_run = options.dry_run,
                         .verify = options.verify,
                         .outputs = options.outputs,
                         .all = options.all};
  if (options.jobs_older_than) {
    KINETIC_ASSIGN_OR_RETURN(
        const auto age, settings::ParseDurationOf("--jobs-older-than", *options.jobs_older_than));
    garbage.jobs_older_than = std::chrono::ceil<std::chrono::hours>(age);
  }
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const GarbageReport report,
                           client.CollectGarbage(garbage, context.stop));
  for (const std::string& warning : report.warnings) context.output.Warn(warning);
  if (context.output.IsJson()) {
    context.output.Document(ToDocument(report));
    return kSuccess;
  }
  if (options.dry_run)
    for (const std::string& name : report.removed) context.output.Line("would remove " + name);
  Table table{.headings = {"", options.dry_run ? "TO REMOVE" : "REMOVED", "SIZE", "KEPT", "SIZE",
                           "WHY KEPT"},
              .below = "WHY KEPT"};
  for (const auto& entry : report.classes)
    table.rows.push_back({entry.name, fmt::format("{}", entry.removed),
                          FormatBytes(entry.removed_bytes), fmt::format("{}", entry.kept),
                          FormatBytes(entry.kept_bytes), entry.kept > 0 ? entry.why_kept : ""});
  context.output.Show(table);
  const bool removed_none =
      std::ranges::all_of(report.classes, [](const auto& entry) { return entry.removed == 0; });
  if (removed_none && !options.all)
    context.output.Note(
        "objects are kept for 8 days after their last use; --all removes newer ones too");
  return kSuccess;
}

}  // namespace

void RegisterGc(Command& parent) {
  Command& command = parent.Add(
      {.name = "gc",
       .summary = "Remove unused objects",
       .description = "Remove bundles, locks, images, and environments that no job needs "
                      "and that have not been used for\n"
                      "several days. Safe to run while jobs are running and other "
                      "clients are submitting jobs.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic gc --dry-run", "kinetic gc --jobs-older-than 30d",
                    "kinetic gc --all"}});
  auto options = std::make_shared<GcOptions>();
  command.Flag({"--dry-run", "", "Show what would be removed, without removing it"},
               options->dry_run);
  command.Flag({"--all", "",
                "Also remove what was used recently, if no job needs it; submit no jobs meanwhile"},
               options->all);
  command.Flag({"--verify", "",
                "Read all objects and remove damaged bundles, so that they are stored again"},
               options->verify);
  command.Flag({"--outputs", "",
                "Also remove outputs of removed jobs, unless they were stored within the last day"},
               options->outputs);
  command.Text({"--jobs-older-than", "AGE",
                "Also remove jobs that finished longer ago than this, such as 30d"},
               options->jobs_older_than);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
