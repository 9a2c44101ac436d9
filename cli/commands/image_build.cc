#include "commands/image_build.h"

#include "command_line/command.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/format.h"
#include "try.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace kinetic::cli {

void RegisterImageBuild(Command& parent) {
  Command& command = parent.Add(
      {.name = "build",
       .summary = "Make the image of a job's packages",
       .description =
           "Makes an image that holds the packages of a job, in the place that the profile names "
           "as\n"
           "environment_images, and prints its name; one that is there is left as it is. It needs "
           "no\n"
           "container engine: the packages are appended as layers to the profile's image, or "
           "Cloud\n"
           "Build makes it, where the profile says so. Jobs of these packages run in it from then "
           "on.\n"
           "Without JOB: job.yaml if it is here, else the folder as it is.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic image build job.yaml", "kinetic image build --target tpu --json"},
       .takes_command = true});
  auto options = std::make_shared<ImageBuildOptions>();
  AddJobArguments(command, options->job);
  command.Flag({"--locked", "", "Never resolve: fail if there is no lock"}, options->locked);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const ImageBuildOptions& options, Context& context) {
  CLI_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobNeeds::kPlace, context));
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  auto progress = context.output.StartProgress();
  const SubmitOptions submit{.locked = options.locked, .observer = progress.get()};
  CLI_ASSIGN_OR_RETURN(const EnvironmentImage image, client.BuildImage(spec, submit, context.stop));
  progress.reset();
  context.output.Line(image.reference);
  context.output.Note(fmt::format("{} packages, {}, upon {}; {}", image.packages,
                                  FormatBytes(image.size_bytes), image.base,
                                  image.built ? "made now" : "it was there"));
  if (!context.output.IsJson()) return kSuccess;
  Value document = ToDocument(image);
  document.Set("built", image.built);
  context.output.Document(document);
  return kSuccess;
}

}  // namespace kinetic::cli
