#include "commands/image_warm.h"

#include "kinetic/warming.h"

#include "command_line/command.h"
#include "context.h"
#include "exit_code.h"
#include "output/format.h"
#include "try.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace kinetic::cli {
namespace {

Value ToDocument(const WarmReport::Image& image) {
  constexpr double kMillisecondsInSecond = 1000;
  return Value::Map{
      {"name", image.name},
      {"was_there", image.was_there},
      {"seconds", image.pulled_in
                      ? Value(static_cast<double>(image.pulled_in->count()) / kMillisecondsInSecond)
                      : Value()}};
}

Value ToDocument(const WarmReport& report) {
  Value::List images;
  for (const std::string& image : report.images) images.emplace_back(image);
  Value::List nodes;
  for (const WarmReport::Node& node : report.nodes) {
    Value::List pulled;
    for (const WarmReport::Image& image : node.images) pulled.push_back(ToDocument(image));
    nodes.emplace_back(Value::Map{{"name", node.name},
                                  {"images", std::move(pulled)},
                                  {"failed", node.failed.empty() ? Value() : Value(node.failed)}});
  }
  return Value::Map{
      {"images", std::move(images)}, {"selector", report.selector}, {"nodes", std::move(nodes)}};
}

std::string TimeOf(const WarmReport::Image& image) {
  if (image.was_there) return "was there";
  return image.pulled_in ? FormatDuration(*image.pulled_in) : "-";
}

void Show(const WarmReport& report, Output& output) {
  Table table{.headings = {"NODE", "PULLED IN", "IMAGE"}};
  for (const WarmReport::Node& node : report.nodes) {
    if (!node.failed.empty())
      table.rows.push_back(
          {Cell(node.name, Role::kBad), Cell("failed", Role::kBad), OneLine(node.failed)});
    else if (node.images.empty())
      table.rows.push_back({node.name, std::string("-"), std::string("all of them")});
    for (const WarmReport::Image& image : node.images)
      table.rows.push_back({node.name, TimeOf(image), image.name});
  }
  output.Show(table);
}

/// What is to be known of a run that pulled nothing, or not everywhere.
Result<int> Judge(const WarmReport& report, Output& output) {
  if (report.nodes.empty()) {
    output.Note("no node is there that the job may run on (" + report.selector +
                "): nothing was pulled; a node that is made for a job pulls its images then");
    return kSuccess;
  }
  const auto failed = std::ranges::count_if(
      report.nodes, [](const WarmReport::Node& node) { return !node.failed.empty(); });
  if (failed == 0) return kSuccess;
  output.Warn(fmt::format("{} of {} nodes could not pull the images", failed, report.nodes.size()));
  return kNotSubmitted;
}

}  // namespace

void RegisterImageWarm(Command& parent) {
  Command& command = parent.Add(
      {.name = "warm",
       .summary = "Have nodes pull a job's images before it is sent",
       .description =
           "Has the nodes that a job may run on pull what its pod would: the runner's image, and "
           "the\none with its packages, or the one below them. For that a DaemonSet is there for "
           "a while,\nwhose pods run nothing of the image's own and ask for no chips; it is "
           "removed at the end,\nand with Ctrl-C. Where no node is there, as in a pool that was "
           "scaled to zero, nothing is\npulled, and the exit code is 0; it is 120 when a node "
           "could not pull an image.\n"
           "Without JOB: job.yaml if it is here, else the folder as it is.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic image warm job.yaml", "kinetic image warm --pool tpu-v5e --nodes 2"},
       .takes_command = true});
  auto options = std::make_shared<ImageWarmOptions>();
  AddJobArguments(command, options->job);
  command.Number({"--nodes", "N", "Be content with N nodes; otherwise all that are there"},
                 options->nodes);
  command.Text({"--pool", "NAME", "Only the nodes of this GKE node pool"}, options->pool);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const ImageWarmOptions& options, Context& context) {
  constexpr std::uint64_t kMostNodes = std::numeric_limits<std::uint32_t>::max();
  CLI_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobNeeds::kPlace, context));
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  auto progress = context.output.StartProgress();
  const WarmOptions warm{
      .nodes = static_cast<std::uint32_t>(std::min(options.nodes.value_or(0), kMostNodes)),
      .pool = options.pool.value_or(""),
      .observer = progress.get()};
  CLI_ASSIGN_OR_RETURN(const WarmReport report, client.WarmImages(spec, warm, context.stop));
  progress.reset();
  if (context.output.IsJson())
    context.output.Document(ToDocument(report));
  else if (!report.nodes.empty())
    Show(report, context.output);
  return Judge(report, context.output);
}

}  // namespace kinetic::cli
