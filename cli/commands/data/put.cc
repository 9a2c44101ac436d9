#include "kinetic/datasets.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {
namespace {

struct DataPutOptions {
  std::string path;
  std::optional<std::string> name;
  bool follow_links = false;
};

Result<int> Run(const DataPutOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  auto progress = context.output.StartProgress();
  const PutDatasetOptions put_options{.name = options.name.value_or(""),
                                      .observer = progress.get(),
                                      .follow_links = options.follow_links};
  const auto put = client.datasets().Put(options.path, put_options, context.stop);
  progress.reset();
  if (!put) return Failure(put.error());
  context.output.Line(std::string(kDatasetScheme) + put->data.name);
  if (context.output.IsJson()) {
    Value document = ToDocument(put->data);
    document.Set("bytes_stored", static_cast<std::int64_t>(put->bytes_stored));
    document.Set("replaced", put->replaced);
    context.output.Document(document);
    return kSuccess;
  }
  context.output.Note(fmt::format("{}{}", FormatFiles(put->data.files, put->data.size_bytes),
                                  put->replaced ? ", replacing the previous content" : ""));
  return kSuccess;
}

}  // namespace

void RegisterDataPut(Command& parent) {
  Command& command = parent.Add(
      {.name = "put",
       .summary = "Store files as a dataset",
       .description = "Store a file or folder under a name that jobs submitted from any machine "
                      "can use, as in 'data:\n"
                      "{/data: data://NAME}'. Content that is already in the store is not uploaded "
                      "again. If the name\n"
                      "already exists, it refers to the new content from then on. Jobs submitted "
                      "earlier keep the old\n"
                      "content.",
       .usage = {"[OPTIONS] PATH"},
       .examples = {"kinetic data put ./mnist", "kinetic data put --name weights model.ckpt"}});
  auto options = std::make_shared<DataPutOptions>();
  command.Argument(
      {.names = "PATH", .doc = "File or folder to store", .complete = CompletionKind::kFile},
      options->path);
  command.Text({.names = "--name",
                .placeholder = "NAME",
                .doc = "Name of the dataset (default: the name of the file or folder)"},
               options->name);
  command.Flag({.names = "--follow-links",
                .doc = "Store the targets of links that point outside the folder, such as the "
                       "blobs of a Hugging Face snapshot"},
               options->follow_links);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
