#include "kinetic/images.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

Table ToTable(const std::vector<EnvironmentImage>& images) {
  Table table{.headings = {"TAG", "PYTHON", "PACKAGES", "SIZE", "BASE"}};
  for (const EnvironmentImage& one : images)
    table.rows.push_back({one.tag, one.python, fmt::format("{}", one.packages),
                          FormatBytes(one.size_bytes), one.base});
  return table;
}

Result<int> ListPackageImages(Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const auto images, client.images().List(context.stop));
  if (context.output.IsJson()) {
    Value::List documents;
    for (const EnvironmentImage& one : images) documents.push_back(ToDocument(one));
    context.output.Document(std::move(documents));
    return kSuccess;
  }
  if (images.empty()) {
    context.output.Note("no images; create one with 'kinetic image build'");
    return kSuccess;
  }
  context.output.Show(ToTable(images));
  return kSuccess;
}

}  // namespace

void RegisterImageLs(Command& parent) {
  Command& command = parent.Add({.name = "ls",
                                 .summary = "List package images",
                                 .description = "List the package images in the profile's "
                                                "environment_images repository, with their Python\n"
                                                "version, number of packages and base image.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic image ls", "kinetic image ls --json"}});
  command.SetAction(ListPackageImages);
}

}  // namespace kinetic::cli
