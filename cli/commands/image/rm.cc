#include "kinetic/images.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct ImageRmOptions {
  std::vector<std::string> tags;
};

Result<int> Run(const ImageRmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Value::List removed;
  KINETIC_ASSIGN_OR_RETURN(const auto images, client.images().Remove(options.tags, context.stop));
  for (const EnvironmentImage& image : images) {
    context.output.Line(image.reference);
    removed.emplace_back(image.reference);
  }
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", std::move(removed)}});
  return kSuccess;
}

}  // namespace

void RegisterImageRm(Command& parent) {
  Command& command =
      parent.Add({.name = "rm",
                  .summary = "Remove package images",
                  .description = "Remove images from the profile's environment_images repository. "
                                 "A submitted job that has\n"
                                 "not started yet cannot start after its image is removed. "
                                 "Submitting the job again rebuilds the\n"
                                 "image. The registry decides when to free the space.",
                  .usage = {"[OPTIONS] TAG..."},
                  .examples = {"kinetic image rm tpu-64ec09b4f5ed"}});
  auto options = std::make_shared<ImageRmOptions>();
  command.Arguments({.names = "TAG", .doc = "Images, as listed by 'kinetic image ls'"},
                    options->tags);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
