#include "kinetic/images.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/submit/arguments.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct ImageBuildOptions {
  JobArguments job;
  bool locked = false;
  bool renew = false;
};

std::string Describe(const EnvironmentImage& image) {
  std::string text = FormatBytes(image.size_bytes);
  if (!image.python.empty()) text.insert(0, fmt::format("{} packages, ", image.packages));
  if (!image.base.empty()) text += ", based on " + image.base;
  return text + (image.built ? "; built" : "; already exists");
}

Result<int> Run(const ImageBuildOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckExclusive(options.locked, "--locked", options.renew, "--renew"));
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kOptional, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  auto progress = context.output.StartProgress();
  const BuildImageOptions build{
      .locked = options.locked, .relock = options.renew, .observer = progress.get()};
  KINETIC_ASSIGN_OR_RETURN(const EnvironmentImage image,
                           client.images().Build(spec, build, context.stop));
  progress.reset();
  context.output.Line(image.reference);
  context.output.Note(Describe(image));
  if (!context.output.IsJson()) return kSuccess;
  Value document = ToDocument(image);
  document.Set("built", image.built);
  context.output.Document(document);
  return kSuccess;
}

}  // namespace

void RegisterImageBuild(Command& parent) {
  Command& command = parent.Add(
      {.name = "build",
       .summary = "Build an image from a job's packages or Dockerfile",
       .description = "Build the image with a job's packages, push it to the profile's "
                      "environment_images, and print\n"
                      "its name. An existing image is reused. kinetic appends the packages to the "
                      "base image as layers,\n"
                      "without a container engine. Later jobs with the same packages use the "
                      "image. If the job file\n"
                      "specifies a Dockerfile, the profile's container_engine builds the image. "
                      "Without JOB, uses\n"
                      "job.yaml if it exists, otherwise the current directory.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic image build job.yaml", "kinetic image build --target tpu --json"},
       .takes_command = true});
  auto options = std::make_shared<ImageBuildOptions>();
  AddJobArguments(command, options->job);
  command.Flag({"--locked", "", "Fail if there is no lock, instead of resolving the packages"},
               options->locked);
  command.Flag(
      {"--renew", "", "Resolve the packages again, or rebuild the image from the Dockerfile"},
      options->renew);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
