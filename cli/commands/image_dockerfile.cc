#include "commands/image_dockerfile.h"

#include "command_line/command.h"
#include "context.h"
#include "exit_code.h"
#include "try.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

/// The last end of a line is the terminal's.
std::string_view WithoutEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace

void RegisterImageDockerfile(Command& parent) {
  Command& command = parent.Add(
      {.name = "dockerfile",
       .summary = "Write the Dockerfile of a job's packages",
       .description =
           "Prints a Dockerfile that makes the image of a job's packages by a container engine: "
           "upon "
           "the\n"
           "profile's image, every package with its hash. It reads requirements.txt beside it; "
           "--output\n"
           "writes both, ready to build. What is pushed to the name in its first lines is found by "
           "jobs\n"
           "as one that 'kinetic image build' made. URLs with credentials are not in it: the "
           "engine "
           "is\n"
           "given them as a secret, of which its first lines tell.\n"
           "Without JOB: job.yaml if it is here, else the folder as it is.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic image dockerfile job.yaml",
                    "kinetic image dockerfile --output image && docker build image"},
       .takes_command = true});
  auto options = std::make_shared<ImageDockerfileOptions>();
  AddJobArguments(command, options->job);
  command.Text({"--output", "FOLDER", "Write Dockerfile and requirements.txt there"},
               options->output);
  command.Flag({"--locked", "", "Never resolve: fail if there is no lock"}, options->locked);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const ImageDockerfileOptions& options, Context& context) {
  CLI_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobNeeds::kPlace, context));
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  auto progress = context.output.StartProgress();
  const SubmitOptions submit{.locked = options.locked, .observer = progress.get()};
  CLI_ASSIGN_OR_RETURN(
      const EnvironmentDockerfile made,
      client.MakeDockerfile(spec, options.output.value_or(""), submit, context.stop));
  progress.reset();
  if (context.output.IsJson()) {
    context.output.Document(Value::Map{{"dockerfile", made.dockerfile},
                                       {"requirements", made.requirements},
                                       {"wants_secret", made.wants_secret}});
    return kSuccess;
  }
  if (!options.output) {
    context.output.Line(WithoutEnd(made.dockerfile));
    context.output.Note("it reads requirements.txt beside it: --output FOLDER writes both");
    return kSuccess;
  }
  context.output.Line(*options.output);
  if (made.wants_secret) {
    context.output.Note(
        "packages come from URLs with credentials: the Dockerfile says how an "
        "engine is given them");
  }
  return kSuccess;
}

}  // namespace kinetic::cli
