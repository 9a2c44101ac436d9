#include "kinetic/image.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"
#include "output/text.h"
#include "settings/client_options.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct ImageRunnerOptions {
  std::optional<std::string> push;
  std::optional<std::string> output;
  std::optional<std::string> reference;
  std::optional<std::string> compression;
  std::optional<std::string> ca_certificates;
  bool plain_http = false;
};

RunnerImageRequest RequestOf(const ImageRunnerOptions& options, const Context& context) {
  RunnerImageRequest request;
  request.runner = context.settings.Path(SettingId::kRunner);
  request.launcher = request.runner.parent_path() / "kinetic-launcher";
  if (options.reference) request.name = *options.reference;
  if (options.push) request.name = *options.push;
  if (options.ca_certificates) request.ca_certificates = *options.ca_certificates;
  if (options.compression == "gzip") request.compression = ImageCompression::kGzip;
  return request;
}

Status CheckOptions(const ImageRunnerOptions& options) {
  const char* const hint = "see 'kinetic image runner --help'";
  if (!options.output && !options.push)
    return Fail(ErrorCode::kInvalidArgument, "image runner: expected --output FILE or --push NAME",
                hint);
  if (options.output && options.push)
    return Fail(ErrorCode::kInvalidArgument,
                "image runner: --output cannot be combined with --push", hint);
  if (options.push && options.reference)
    return Fail(ErrorCode::kInvalidArgument,
                "image runner: --ref cannot be combined with --push, which sets the name", hint);
  if (options.plain_http && !options.push)
    return Fail(ErrorCode::kInvalidArgument, "image runner: --plain-http requires --push", hint);
  return {};
}

/// Returns the JSON fields that both --output and --push report.
Value::Map Description(const WrittenImage& image) {
  Value::List layers;
  for (const ImageLayer& layer : image.layers)
    layers.emplace_back(
        Value::Map{{"digest", layer.digest},
                   {"diff_id", layer.diff_id},
                   {"compressed_bytes", static_cast<std::int64_t>(layer.compressed_bytes)},
                   {"content_bytes", static_cast<std::int64_t>(layer.content_bytes)}});
  return {{"name", image.name},
          {"digest", image.digest},
          {"image_id", image.image_id},
          {"layers", std::move(layers)}};
}

Result<int> Write(const ImageRunnerOptions& options, Context& context) {
  const RunnerImageRequest request = RequestOf(options, context);
  KINETIC_ASSIGN_OR_RETURN(const WrittenImage image,
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
  if (!context.output.IsJson()) return kSuccess;
  Value document = Description(image);
  document.Set("file", *options.output);
  context.output.Document(document);
  return kSuccess;
}

Result<int> Push(const ImageRunnerOptions& options, Context& context) {
  RegistryOptions registry = RegistryOptionsOf(context.settings, context.process);
  registry.plain_http = options.plain_http;
  registry.cloud.requests = context.requests;
  registry.log = context.log;
  const RunnerImageRequest request = RequestOf(options, context);
  KINETIC_ASSIGN_OR_RETURN(const PushedImage pushed,
                           PushRunnerImage(request, registry, context.stop));
  context.output.Line(pushed.reference);
  context.output.Note(fmt::format("{} pushed, {} already in the registry",
                                  FormatBytes(pushed.sent_bytes),
                                  FormatBytes(pushed.present_bytes)));
  if (!context.output.IsJson()) return kSuccess;
  Value document = Description(pushed.image);
  document.Set("reference", pushed.reference);
  document.Set("sent_bytes", static_cast<std::int64_t>(pushed.sent_bytes));
  document.Set("present_bytes", static_cast<std::int64_t>(pushed.present_bytes));
  context.output.Document(document);
  return kSuccess;
}

Result<int> Run(const ImageRunnerOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckOptions(options));
  return options.push ? Push(options, context) : Write(options, context);
}

}  // namespace

void RegisterImageRunner(Command& parent) {
  Command& command = parent.Add(
      {.name = "runner",
       .summary = "Build the runner image and write it to a file or a registry",
       .description =
           "Build the image that kinetic runs alongside jobs on a cluster, and print its name. "
           "Writes the\n"
           "image to a file as an OCI layout in a tar archive, or pushes the missing layers to a "
           "registry.\n"
           "The image contains kinetic-runner (see --runner), kinetic-launcher from the same "
           "folder, and\n"
           "shared libraries from this machine. Identical inputs produce identical images.",
       .usage = {"[OPTIONS] --push NAME", "[OPTIONS] --output FILE"},
       .examples = {
           "kinetic image runner --push registry.example/team/kinetic-runner",
           "kinetic image runner --output runner.tar",
           "kinetic image runner --output runner.tar --ref registry.example/team/kinetic-runner",
           "ctr -n k8s.io images import runner.tar"}});
  auto options = std::make_shared<ImageRunnerOptions>();
  command.Text({"--push", "NAME",
                "REGISTRY/NAME[:TAG] to push to; the default tag is the same as for --ref"},
               options->push);
  command.Text({"-o,--output", "FILE", "File to write", CompletionKind::kFile}, options->output);
  command.Text(
      {"--ref", "NAME",
       "[REGISTRY/]NAME[:TAG]; the default tag is the version and a digest of the content"},
      options->reference);
  command.Text({"--compression",
                "KIND",
                "Compression of the layers",
                CompletionKind::kNothing,
                {"zstd", "gzip"}},
               options->compression);
  command.Text({"--ca-certificates", "FILE",
                "CA certificates (PEM) that the runner trusts (default: those of this machine)",
                CompletionKind::kFile},
               options->ca_certificates);
  command.Flag({"--plain-http", "", "Connect to the registry without TLS (default for localhost)"},
               options->plain_http);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
