#include "commands/image_rm.h"

#include "command_line/command.h"
#include "context.h"
#include "exit_code.h"
#include "try.h"

#include <memory>
#include <utility>

namespace kinetic::cli {

void RegisterImageRm(Command& parent) {
  Command& command = parent.Add(
      {.name = "rm",
       .summary = "Remove images that were made for packages",
       .description = "Removes images from the place that the profile names as "
                      "environment_images. A job that was sent\nwith one and has not begun cannot "
                      "begin any more; who sends a job anew has it made again.\nWhen the registry "
                      "frees their space is its own affair.",
       .usage = {"[OPTIONS] TAG..."},
       .examples = {"kinetic image rm tpu-64ec09b4f5ed"}});
  auto options = std::make_shared<ImageRmOptions>();
  command.Arguments({.names = "TAG", .doc = "The images, as 'kinetic image ls' lists them"},
                    options->tags);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const ImageRmOptions& options, Context& context) {
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Value::List removed;
  for (const std::string& tag : options.tags) {
    CLI_ASSIGN_OR_RETURN(const auto image, client.RemoveImage(tag, context.stop));
    context.output.Line(image.reference);
    removed.emplace_back(image.reference);
  }
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", std::move(removed)}});
  return kSuccess;
}

}  // namespace kinetic::cli
