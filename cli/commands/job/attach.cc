#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/follow.h"
#include "commands/job/selection.h"
#include "context.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct AttachOptions {
  std::optional<std::string> id;
  std::optional<std::uint64_t> tail;
  std::optional<std::uint64_t> since_sequence;
  bool cancel_on_interrupt = false;
  ValueOptions answer;
};

Result<int> Run(const AttachOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckValueOptions(options.answer));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, FindJob(client, options.id, context));
  const FollowOptions follow{
      .log = {.from_sequence = options.since_sequence.value_or(0), .tail = options.tail},
      .cancel_on_interrupt = options.cancel_on_interrupt,
      .answer = options.answer};
  return Follow(job, follow, context.output.StartProgress(), context);
}

}  // namespace

void RegisterAttach(Command& parent) {
  Command& command =
      parent.Add({.name = "attach",
                  .summary = "Follow a job until it finishes",
                  .description = "Show a job's output from the beginning, follow it until the job "
                                 "finishes, and print the result.\n"
                                 "Exits with the job's exit code. Ctrl-C leaves the job running.",
                  .usage = {"[OPTIONS] [ID]"},
                  .examples = {"kinetic attach", "kinetic attach hello --tail 10"}});
  auto options = std::make_shared<AttachOptions>();
  AddJobArgument(command, options->id);
  command.Number({"-n,--tail", "N", "Start with the last N records"}, options->tail);
  command.Number({"--since-sequence", "N", "Start with record N"}, options->since_sequence);
  command.Flag({"--cancel-on-interrupt", "", "Ctrl-C cancels the job"},
               options->cancel_on_interrupt);
  AddValueOptions(command, options->answer);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
