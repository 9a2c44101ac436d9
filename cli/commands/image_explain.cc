#include "commands/image_explain.h"

#include "kinetic/image_explanation.h"

#include "command_line/command.h"
#include "commands/sections.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/format.h"
#include "try.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace kinetic::cli {
namespace {

/// How many digits of a digest tell people which it is.
constexpr std::size_t kShownOfDigest = 19;

std::string_view Said(ImageAnswer answer) {
  switch (answer) {
    case ImageAnswer::kNotAsked:
      return "not asked for";
    case ImageAnswer::kPresent:
      return "it is there";
    case ImageAnswer::kAbsent:
      return "it is not there";
    case ImageAnswer::kNotAllowed:
      return "it may not be looked at";
    case ImageAnswer::kCouldNotAsk:
      return "its registry could not be asked";
    case ImageAnswer::kUnusable:
      return "it is there, and of no use";
  }
  return "";
}

std::string_view Said(PackagesOutlook outlook) {
  switch (outlook) {
    case PackagesOutlook::kNone:
      return "it brings no packages, and runs in its image as it is";
    case PackagesOutlook::kResolved:
      return "its packages are resolved first: 'kinetic lock' does it now";
    case PackagesOutlook::kImage:
      return "runs in the image that is there";
    case PackagesOutlook::kImageMade:
      return "has the image made first: 'kinetic image build' does it now";
    case PackagesOutlook::kArchives:
      return "its pod unpacks the packages that are stored";
    case PackagesOutlook::kArchivesMade:
      return "stores what is missing, and its pod unpacks the packages";
    case PackagesOutlook::kRefused:
      return "is not sent: its packages are to be in an image, and nobody knows whether it is "
             "there";
  }
  return "";
}

void ShowAsked(std::string_view name, const AskedImage& image, Output& output) {
  if (image.name.empty()) return;
  ShowField(name, image.name, output);
  ShowField("", Said(image.answer), output);
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
  Table table{.headings = {"LAYER", "SIZE", "OF", "HOLDS"}};
  for (const ExplainedLayer& layer : explanation.layers)
    table.rows.push_back({layer.digest.substr(0, kShownOfDigest), FormatBytes(layer.size_bytes),
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
  ShowAsked("image", explanation.image, output);
  if (!explanation.packages.empty()) ShowField("store", StoredText(explanation), output);
  ShowAsked("base", explanation.base, output);
  if (!explanation.made_upon.empty() && explanation.made_upon != explanation.base.digest)
    ShowField("made upon", explanation.made_upon, output);
  ShowField("a job", Said(explanation.outlook), output);
  if (!explanation.left_out.empty())
    ShowField("not installed", explanation.left_out + ": the job names its image", output);
  ShowLayers(explanation, output);
  ShowPackages(explanation, output);
}

}  // namespace

void RegisterImageExplain(Command& parent) {
  Command& command = parent.Add(
      {.name = "explain",
       .summary = "Say which image a job's packages are, or which archives",
       .description =
           "Shows what the packages of a job are made from and which input has changed since the "
           "last\njob of that name, their lock and its age, the image that holds them, its layers, "
           "and what\nthe store has of each package. The registry is asked, and its answer told as "
           "it is: that the\nimage is there, that it is not, that it may not be looked at, or that "
           "nobody answered.\nNothing is made, resolved or sent.\n"
           "Without JOB: job.yaml if it is here, else the folder as it is.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic image explain job.yaml", "kinetic image explain --json"},
       .takes_command = true});
  auto options = std::make_shared<ImageExplainOptions>();
  AddJobArguments(command, options->job);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const ImageExplainOptions& options, Context& context) {
  CLI_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobNeeds::kPlace, context));
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  CLI_ASSIGN_OR_RETURN(const ImageExplanation explanation, client.ExplainImage(spec, context.stop));
  if (context.output.IsJson())
    context.output.Document(ToDocument(explanation));
  else
    ShowExplanation(explanation, context.output);
  return kSuccess;
}

}  // namespace kinetic::cli
