#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct OutputsRmOptions {
  std::string id;
  std::vector<std::string> paths;
};

/// Returns the ID of the job with this name or ID. A prefix is returned unchanged: it can be the ID of
/// a removed job, and a repeated command must not remove the outputs of another job.
Result<std::string> IdOf(Client& client, const std::string& word, const Context& context) {
  const Result<Job> job = FindJob(client, word, context);
  if (job) return job->id().starts_with(word) ? word : job->id();
  if (job.error().code != ErrorCode::kNotFound) return Failure(job.error());
  return word;
}

/// Explains that a prefix is not accepted, and adds the full ID.
Error WithWholeId(Client& client, const std::string& word, Error error, const Context& context) {
  if (error.code != ErrorCode::kNotFound) return error;
  const Result<Job> job = client.Find(word, context.stop);
  if (!job || job->id() == word) return error;
  error.message = "a prefix of an ID does not select outputs to remove: " + word;
  error.hint = "pass the full ID: kinetic outputs rm " + job->id();
  return error;
}

Result<int> Run(const OutputsRmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const std::string id, IdOf(client, options.id, context));
  const Result<RemovedOutputs> removed = client.RemoveOutputs(id, options.paths, context.stop);
  if (!removed) return Failure(WithWholeId(client, id, removed.error(), context));
  context.output.Note(fmt::format("removed {} {} of job {}, {}", removed->files,
                                  removed->files == 1 ? "output" : "outputs", id,
                                  FormatBytes(removed->bytes)));
  if (context.output.IsJson()) {
    Value document(Value::Map{
        {"id", id}, {"files", Number(removed->files)}, {"bytes", Number(removed->bytes)}});
    context.output.Document(Value::Map{{"removed", Value::List{std::move(document)}}});
  }
  return kSuccess;
}

}  // namespace

void RegisterOutputsRm(Command& parent) {
  Command& command = parent.Add(
      {.name = "rm",
       .summary = "Remove a job's outputs",
       .description = "Remove stored outputs of a job that is finished or was removed: all, or the "
                      "given files and\n"
                      "folders. The job itself is kept.",
       .usage = {"[OPTIONS] ID [PATH...]"},
       .examples = {"kinetic outputs rm mhs7qeiv2lp4czfd",
                    "kinetic outputs rm hello checkpoints/old"}});
  auto options = std::make_shared<OutputsRmOptions>();
  command.Argument(
      {.names = "ID", .doc = "Full job ID, name, or 'latest'", .complete = CompletionKind::kJob},
      options->id);
  command.OptionalArguments({.names = "PATH", .doc = "File or folder, as listed by 'outputs ls'"},
                            options->paths);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
