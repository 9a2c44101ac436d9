#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/submit/arguments.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>

namespace kinetic::cli {
namespace {

struct BundleLsOptions {
  JobArguments job;
};

std::string ShownEntry(const BundleEntry& entry) {
  const std::string& path = entry.path;
  switch (entry.type) {
    case BundleEntry::Type::kFile:
      return path + (entry.executable ? "*" : "");
    case BundleEntry::Type::kSymlink:
      return path + " -> " + entry.link_target;
    case BundleEntry::Type::kEmptyFolder:
      return path + "/";
  }
  return path;
}

Result<int> Run(const BundleLsOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kOptional, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  KINETIC_ASSIGN_OR_RETURN(const BundleListing listing, client.ListBundle(spec, context.stop));
  for (const std::string& warning : listing.warnings) context.output.Warn(warning);
  if (context.output.IsJson()) {
    context.output.Document(ToDocument(listing));
    return kSuccess;
  }
  for (const BundleEntry& entry : listing.entries) {
    const std::string size =
        entry.type == BundleEntry::Type::kFile ? FormatBytes(entry.size_bytes) : "-";
    context.output.Line(fmt::format("{:>10}  {}", size, ShownEntry(entry)));
  }
  context.output.Note(fmt::format("{} {}, {} from {} ({})", listing.entries.size(),
                                  listing.entries.size() == 1 ? "entry" : "entries",
                                  FormatBytes(listing.total_bytes), listing.root.string(),
                                  listing.root_reason));
  return kSuccess;
}

}  // namespace

void RegisterBundleLs(Command& parent) {
  Command& command =
      parent.Add({.name = "ls",
                  .summary = "List the files that a job would upload",
                  .description = "List the files that a job would upload, with their sizes. "
                                 "Without JOB, uses job.yaml if it\n"
                                 "exists, otherwise the current directory.",
                  .usage = {"[OPTIONS] [JOB]"},
                  .examples = {"kinetic bundle ls", "kinetic bundle ls job.yaml --json"},
                  .takes_command = true});
  auto options = std::make_shared<BundleLsOptions>();
  AddJobArguments(command, options->job);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
