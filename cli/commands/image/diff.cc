#include "kinetic/images.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/change_mark.h"
#include "commands/job/arguments.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

struct ImageDiffOptions {
  std::string before;
  std::string now;
};

using Change = ImageDifference::Change;

/// Returns whether the word is an existing file or is named like a job file.
bool IsJobFile(const std::string& word, const Context& context) {
  std::error_code error;
  return word.ends_with(".yaml") || word.ends_with(".yml") ||
         std::filesystem::is_regular_file(context.process.directory / word, error);
}

Result<ImageContents> Read(const std::string& word, Context& context) {
  if (!IsJobFile(word, context)) {
    KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
    return client.images().ReadContents(word, context.stop);
  }
  JobArguments job;
  job.file = word;
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(job, JobInput::kOptional, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  return client.images().ReadContents(spec, context.stop);
}

void AddRow(Change::Kind kind, std::string_view name, const std::string& before,
            const std::string& now, Table& table) {
  const auto [mark, role] =
      ChangeMark(kind != Change::Kind::kAdded, kind != Change::Kind::kRemoved);
  const auto shown = [](const std::string& text) { return text.empty() ? "-" : text; };
  table.rows.push_back(
      {Cell(std::string(mark), role), Cell(std::string(name), role), shown(before), shown(now)});
}

void Show(const ImageDifference& difference, Context& context) {
  Table table{.headings = {"", "ITEM", "BEFORE", "NOW"}};
  for (const auto& property : difference.properties)
    AddRow(Change::Kind::kChanged, property.name, property.before, property.now, table);
  for (const Change& change : difference.packages)
    AddRow(change.kind, change.name, change.before, change.now, table);
  if (!table.rows.empty()) context.output.Show(table);
}

Result<int> Run(const ImageDiffOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const ImageContents before, Read(options.before, context));
  KINETIC_ASSIGN_OR_RETURN(const ImageContents now, Read(options.now, context));
  const ImageDifference difference = CompareImages(before, now);
  if (context.output.IsJson()) {
    context.output.Document(ToDocument(before, now, difference));
    return kSuccess;
  }
  Show(difference, context);
  const std::size_t count = difference.packages.size();
  context.output.Note(count == 0   ? fmt::format("the same {} packages", now.packages.size())
                      : count == 1 ? std::string("1 package differs")
                                   : fmt::format("{} packages differ", count));
  return kSuccess;
}

}  // namespace

void RegisterImageDiff(Command& parent) {
  Command& command = parent.Add(
      {.name = "diff",
       .summary = "Compare two package images",
       .description = "Show which packages were added (+), removed (-), or changed (~) "
                      "from BEFORE to AFTER, and\n"
                      "differences in Python, accelerator, and base image. Each argument "
                      "is a tag from 'kinetic image\n"
                      "ls', a full image name, or a job file, whose lock is compared. "
                      "The exit code is 0 whether or not\n"
                      "the images differ.",
       .usage = {"[OPTIONS] BEFORE AFTER"},
       .examples = {"kinetic image diff tpu-64ec09b4f5ed tpu-9b1c22ad0f37",
                    "kinetic image diff tpu-64ec09b4f5ed job.yaml --json"}});
  auto options = std::make_shared<ImageDiffOptions>();
  command.Argument(
      {.names = "BEFORE", .doc = "Tag, image, or job file", .complete = CompletionKind::kFile},
      options->before);
  command.Argument(
      {.names = "AFTER", .doc = "Tag, image, or job file", .complete = CompletionKind::kFile},
      options->now);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
