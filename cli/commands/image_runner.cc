#include "commands/image_runner.h"

#include "kinetic/image.h"

#include "command_line/command.h"
#include "context.h"
#include "exit_code.h"
#include "output/format.h"
#include "try.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace kinetic::cli {
namespace {

RunnerImageRequest RequestOf(const ImageRunnerOptions& options, const Context& context) {
  RunnerImageRequest request;
  request.runner = context.settings.Path(SettingId::kRunner);
  request.launcher = request.runner.parent_path() / "kinetic-launcher";
  if (options.reference) request.name = *options.reference;
  if (options.ca_certificates) request.ca_certificates = *options.ca_certificates;
  if (options.compression == "gzip") request.compression = ImageCompression::kGzip;
  return request;
}

Value ToDocument(const WrittenImage& image, const std::string& file) {
  Value::List layers;
  for (const ImageLayer& layer : image.layers)
    layers.emplace_back(
        Value::Map{{"digest", layer.digest},
                   {"diff_id", layer.diff_id},
                   {"compressed_bytes", static_cast<std::int64_t>(layer.compressed_bytes)},
                   {"content_bytes", static_cast<std::int64_t>(layer.content_bytes)}});
  return Value::Map{{"name", image.name},
                    {"digest", image.digest},
                    {"image_id", image.image_id},
                    {"file", file},
                    {"layers", std::move(layers)}};
}

}  // namespace

void RegisterImageRunner(Command& parent) {
  Command& command = parent.Add(
      {.name = "runner",
       .summary = "Write the image of the runner to a file",
       .description = "Writes the image that kinetic runs beside jobs on a cluster, as an OCI "
                      "layout in one\ntar archive, and prints its name. It is made from the "
                      "kinetic-runner of --runner,\nthe kinetic-launcher beside it and the shared "
                      "libraries of this machine; the same ones\ngive the same bytes.",
       .usage = {"[OPTIONS] --output FILE"},
       .examples = {
           "kinetic image runner --output runner.tar",
           "kinetic image runner --output runner.tar --ref registry.example/team/kinetic-runner",
           "ctr -n k8s.io images import runner.tar"}});
  auto options = std::make_shared<ImageRunnerOptions>();
  command.Text({"-o,--output", "FILE", "The file to write", Complete::kFile}, options->output);
  command.Text({"--ref", "NAME",
                "[REGISTRY/]NAME[:TAG]; without a tag: the version and a digest of what is in it"},
               options->reference);
  command.Text({"--compression", "KIND", "Of its layers", Complete::kNothing, {"zstd", "gzip"}},
               options->compression);
  command.Text(
      {"--ca-certificates", "FILE",
       "PEM: what the runner trusts (standard: the bundle of this machine)", Complete::kFile},
      options->ca_certificates);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const ImageRunnerOptions& options, Context& context) {
  if (!options.output)
    return Fail(ErrorCode::kInvalidArgument, "image runner: --output FILE is missing",
                "'kinetic image runner --help' has examples");
  const RunnerImageRequest request = RequestOf(options, context);
  CLI_ASSIGN_OR_RETURN(const WrittenImage image,
                       WriteRunnerImage(request, *options.output, context.stop));
  std::uint64_t compressed = 0;
  std::uint64_t content = 0;
  for (const ImageLayer& layer : image.layers) {
    compressed += layer.compressed_bytes;
    content += layer.content_bytes;
  }
  context.output.Line(image.name);
  context.output.Note(fmt::format("{} ({} unpacked) in {}", FormatBytes(compressed),
                                  FormatBytes(content), *options.output));
  if (context.output.IsJson()) context.output.Document(ToDocument(image, *options.output));
  return kSuccess;
}

}  // namespace kinetic::cli
