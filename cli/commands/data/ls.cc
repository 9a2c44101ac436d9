#include "kinetic/datasets.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <vector>

namespace kinetic::cli {
namespace {

Table ToTable(const std::vector<Dataset>& sets) {
  Table table{.headings = {"NAME", "FILES", "SIZE", "AGE", "OWNER", "SOURCE"}};
  const Time now = std::chrono::system_clock::now();
  for (const Dataset& data : sets)
    table.rows.push_back({data.name, fmt::format("{}", data.files), FormatBytes(data.size_bytes),
                          FormatAge(now - data.stored), data.owner, data.source});
  return table;
}

Result<int> ListDataSets(Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Warnings warnings(context.output);
  KINETIC_ASSIGN_OR_RETURN(const auto sets, client.datasets().List(&warnings, context.stop));
  if (context.output.IsJson()) {
    Value::List documents;
    for (const Dataset& data : sets) documents.push_back(ToDocument(data));
    context.output.Document(std::move(documents));
    return kSuccess;
  }
  if (sets.empty()) {
    context.output.Note("no datasets; create one with 'kinetic data put'");
    return kSuccess;
  }
  context.output.Show(ToTable(sets));
  return kSuccess;
}

}  // namespace

void RegisterDataLs(Command& parent) {
  Command& command = parent.Add({.name = "ls",
                                 .summary = "List datasets",
                                 .description = "List the datasets in the store by name.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic data ls", "kinetic data ls --json"}});
  command.SetAction(ListDataSets);
}

}  // namespace kinetic::cli
