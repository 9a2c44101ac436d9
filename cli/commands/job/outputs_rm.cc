#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
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
  std::vector<std::string> ids;
};

/// Returns the ID of the job with this name or ID. A prefix is returned unchanged: it can be the ID of
/// a removed job, and a repeated command must not remove the outputs of another job.
Result<std::string> IdOf(Client& client, const std::string& word, const Context& context) {
  const Result<Job> job = client.Find(word, context.stop);
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
  Value::List documents;
  for (const std::string& word : options.ids) {
    KINETIC_ASSIGN_OR_RETURN(const std::string id, IdOf(client, word, context));
    const Result<RemovedOutputs> removed = client.RemoveOutputs(id, context.stop);
    if (!removed) return Failure(WithWholeId(client, id, removed.error(), context));
    context.output.Note(fmt::format("removed {} {} of job {}, {}", removed->files,
                                    removed->files == 1 ? "output" : "outputs", id,
                                    FormatBytes(removed->bytes)));
    documents.emplace_back(Value::Map{
        {"id", id}, {"files", Number(removed->files)}, {"bytes", Number(removed->bytes)}});
  }
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"removed", std::move(documents)}});
  return kSuccess;
}

}  // namespace

void RegisterOutputsRm(Command& parent) {
  Command& command = parent.Add(
      {.name = "rm",
       .summary = "Remove the outputs of jobs",
       .description = "Remove the stored outputs of jobs that are finished or were removed. The "
                      "jobs themselves are kept.",
       .usage = {"[OPTIONS] ID..."},
       .examples = {"kinetic outputs rm mhs7qeiv2lp4czfd"}});
  auto options = std::make_shared<OutputsRmOptions>();
  command.Arguments(
      {.names = "ID", .doc = "Full job IDs, names, or 'latest'", .complete = CompletionKind::kJob},
      options->ids);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
