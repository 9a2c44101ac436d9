#include "commands/image_build.h"

#include "command_line/command.h"
#include "command_line/exclude.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/format.h"
#include "try.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

std::string Describe(const EnvironmentImage& image) {
  std::string text = FormatBytes(image.size_bytes);
  if (!image.python.empty()) text.insert(0, fmt::format("{} packages, ", image.packages));
  if (!image.base.empty()) text += ", upon " + image.base;
  return text + (image.built ? "; made now" : "; it was there");
}

}  // namespace

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
           "Of a job that names a Dockerfile it makes that image.\n"
           "Without JOB: job.yaml if it is here, else the folder as it is.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic image build job.yaml", "kinetic image build --target tpu --json"},
       .takes_command = true});
  auto options = std::make_shared<ImageBuildOptions>();
  AddJobArguments(command, options->job);
  command.Flag({"--locked", "", "Never resolve: fail if there is no lock"}, options->locked);
  command.Flag({"--renew", "", "Resolve the packages, or run the Dockerfile, anew"},
               options->renew);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const ImageBuildOptions& options, Context& context) {
  CLI_RETURN_IF_ERROR(Exclude(options.locked, "--locked", options.renew, "--renew"));
  CLI_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobNeeds::kPlace, context));
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  auto progress = context.output.StartProgress();
  const SubmitOptions submit{
      .locked = options.locked, .relock = options.renew, .observer = progress.get()};
  CLI_ASSIGN_OR_RETURN(const EnvironmentImage image, client.BuildImage(spec, submit, context.stop));
  progress.reset();
  context.output.Line(image.reference);
  context.output.Note(Describe(image));
  if (!context.output.IsJson()) return kSuccess;
  Value document = ToDocument(image);
  document.Set("built", image.built);
  context.output.Document(document);
  return kSuccess;
}

}  // namespace kinetic::cli
