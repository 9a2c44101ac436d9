#include "kinetic/images.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/arguments.h"
#include "commands/job/plan_view.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace kinetic::cli {
namespace {

struct ImageExplainOptions {
  JobArguments job;
};

/// Number of digest characters to show.
constexpr std::size_t kShortDigestLength = 19;

std::string_view Describe(ImageAnswer answer) {
  switch (answer) {
    case ImageAnswer::kNotChecked:
      return "not queried";
    case ImageAnswer::kPresent:
      return "exists";
    case ImageAnswer::kAbsent:
      return "does not exist";
    case ImageAnswer::kNotAllowed:
      return "access denied";
    case ImageAnswer::kUnreachable:
      return "registry unavailable";
    case ImageAnswer::kUnusable:
      return "exists but cannot be used";
  }
  return "";
}

std::string_view Describe(PackagesOutlook outlook) {
  switch (outlook) {
    case PackagesOutlook::kNone:
      return "has no packages; runs in its image unchanged";
    case PackagesOutlook::kResolved:
      return "resolves its packages first; run 'kinetic lock' to do it now";
    case PackagesOutlook::kImage:
      return "runs in the existing image";
    case PackagesOutlook::kImageMade:
      return "builds the image first; run 'kinetic image build' to do it now";
    case PackagesOutlook::kArchives:
      return "unpacks stored packages in its pod";
    case PackagesOutlook::kArchivesMade:
      return "stores the missing packages and unpacks them in its pod";
    case PackagesOutlook::kRefused:
      return "cannot be submitted: its packages must be in an image, and the registry could not be "
             "queried";
  }
  return "";
}

void ShowLookup(std::string_view name, const ImageLookup& image, Output& output) {
  if (image.name.empty()) return;
  ShowField(name, image.name, output);
  ShowField("", Describe(image.answer), output);
  if (!image.reason.empty()) ShowField("", image.reason, output);
  if (!image.advice.empty()) ShowField("", image.advice, output);
  if (image.digest.empty()) return;
  ShowField("", fmt::format("{}, {}", image.digest, FormatBytes(image.size_bytes)), output);
}

std::string Text(ExplainedLayer::Part part) {
  switch (part) {
    case ExplainedLayer::Part::kBase:
      return "base";
    case ExplainedLayer::Part::kPackages:
      return "packages";
    case ExplainedLayer::Part::kNotKnown:
      break;
  }
  return "-";
}

void ShowLayers(const ImageExplanation& explanation, Output& output) {
  if (explanation.layers.empty()) return;
  Table table{.headings = {"LAYER", "SIZE", "PART", "CONTENT"}};
  for (const ExplainedLayer& layer : explanation.layers)
    table.rows.push_back({layer.digest.substr(0, kShortDigestLength), FormatBytes(layer.size_bytes),
                          Text(layer.part), layer.holds.empty() ? std::string("-") : layer.holds});
  output.Line("");
  output.Show(table);
}

void ShowPackages(const ImageExplanation& explanation, Output& output) {
  if (explanation.packages.empty()) return;
  Table table{.headings = {"PACKAGE", "VERSION", "UNPACKED", "STORED"}};
  for (const ExplainedPackage& package : explanation.packages)
    table.rows.push_back({package.name, package.version,
                          package.stored ? FormatBytes(package.size_bytes) : std::string("-"),
                          std::string(package.stored ? "yes" : "no")});
  output.Line("");
  output.Show(table);
}

std::string StoredText(const ImageExplanation& explanation) {
  const auto stored = std::ranges::count(explanation.packages, true, &ExplainedPackage::stored);
  return fmt::format("{} of {} packages", stored, explanation.packages.size());
}

void ShowExplanation(const ImageExplanation& explanation, Output& output) {
  const bool brings_packages = !explanation.environment.manifest_key.empty();
  if (brings_packages) {
    ShowHeading("Packages", output);
    ShowLockFields(explanation.environment, output);
    ShowInputs(explanation.environment, output);
  }
  ShowHeading("Image", output);
  ShowLookup("image", explanation.image, output);
  if (!explanation.packages.empty()) ShowField("store", StoredText(explanation), output);
  ShowLookup("base", explanation.base, output);
  if (!explanation.base_when_built.empty() &&
      explanation.base_when_built != explanation.base.digest)
    ShowField("base image", explanation.base_when_built, output);
  ShowField("job", Describe(explanation.outlook), output);
  if (!explanation.left_out.empty())
    ShowField("not installed", explanation.left_out + ": the job sets its own image", output);
  ShowLayers(explanation, output);
  ShowPackages(explanation, output);
}

Result<int> Run(const ImageExplainOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kOptional, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  KINETIC_ASSIGN_OR_RETURN(const ImageExplanation explanation,
                           client.images().Explain(spec, context.stop));
  if (context.output.IsJson())
    context.output.Document(ToDocument(explanation));
  else
    ShowExplanation(explanation, context.output);
  return kSuccess;
}

}  // namespace

void RegisterImageExplain(Command& parent) {
  Command& command =
      parent.Add({.name = "explain",
                  .summary = "Explain which image or archives provide a job's packages",
                  .description = "Show the inputs of a job's packages, which inputs changed since "
                                 "the last job with the same name,\n"
                                 "the lock and its age, the image that contains the packages, the "
                                 "layers of the image, and which\n"
                                 "packages are in the store. Reports whether the registry contains "
                                 "the image, does not contain it,\n"
                                 "denies access, or is unavailable. Does not build, resolve, or "
                                 "upload anything. Without JOB, uses\n"
                                 "job.yaml if it exists, otherwise the current directory.",
                  .usage = {"[OPTIONS] [JOB]"},
                  .examples = {"kinetic image explain job.yaml", "kinetic image explain --json"},
                  .takes_command = true});
  auto options = std::make_shared<ImageExplainOptions>();
  AddJobArguments(command, options->job);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
