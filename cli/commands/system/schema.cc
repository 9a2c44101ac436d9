#include "kinetic/job_file.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

Result<int> PrintSchema(Context& context) {
  const std::string schema = JobFileSchema();
  context.output.Bytes(schema.ends_with('\n') ? schema : schema + "\n");
  if (context.output.IsJson()) {
    KINETIC_ASSIGN_OR_RETURN(Value value, Value::FromJson(schema));
    context.output.Document(value);
  }
  return kSuccess;
}

}  // namespace

void RegisterSchema(Command& parent) {
  Command& command = parent.Add({.name = "schema",
                                 .summary = "Print the JSON Schema of job files",
                                 .description = "Print the JSON Schema (draft 2020-12) of job.yaml "
                                                "for editors and for programs that write job\n"
                                                "files.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic schema > job.schema.json"},
                                 .needs_settings = false});
  command.SetAction(PrintSchema);
}

}  // namespace kinetic::cli
