#include "kinetic/environments.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/submit/arguments.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kinetic::cli {
namespace {

constexpr std::size_t kMaxLines = 20;

struct EnvWhyOptions {
  std::string package;
  JobArguments job;
};

/// The lines of a tree: a package, and below it what requires it.
class OriginTree {
 public:
  explicit OriginTree(const std::vector<PackageOrigin>& origins) : origins_(origins) {
    Add(origins.front(), 0);
  }

  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  void Add(const PackageOrigin& origin, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    const bool is_new = shown_.insert(origin.name).second;
    const std::string index = origin.index.empty() ? "" : ", from " + origin.index;
    lines_.push_back(fmt::format("{}{} {}{}", indent, origin.name, origin.version,
                                 is_new ? index : ", see above"));
    if (!is_new) return;
    if (!origin.requirement.empty()) lines_.push_back(indent + "  " + origin.requirement);
    for (const std::string& name : origin.required_by) {
      const auto parent = std::ranges::find(origins_, name, &PackageOrigin::name);
      if (parent != origins_.end()) Add(*parent, depth + 1);
    }
  }

  const std::vector<PackageOrigin>& origins_;
  std::set<std::string> shown_;
  std::vector<std::string> lines_;
};

void ShowOrigins(const std::vector<PackageOrigin>& origins, Context& context) {
  if (context.output.IsJson()) return context.output.Document(ToDocument(origins));
  std::vector<std::string> lines = OriginTree(origins).Take();
  const std::size_t hidden = lines.size() > kMaxLines ? lines.size() - kMaxLines + 1 : 0;
  lines.resize(lines.size() - hidden);
  for (const std::string& line : lines) context.output.Line(line);
  if (hidden > 0) context.output.Line(fmt::format("{} more lines; --json lists all", hidden));
}

Result<int> Run(const EnvWhyOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kOptional, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  KINETIC_ASSIGN_OR_RETURN(const auto origins,
                           client.environments().Why(spec, options.package, context.stop));
  ShowOrigins(origins, context);
  return kSuccess;
}

}  // namespace

void RegisterEnvWhy(Command& parent) {
  Command& command = parent.Add(
      {.name = "why",
       .summary = "Explain why a package is in the environment",
       .description = "Show the version and the index of a package of a job's lock, the packages "
                      "that require it, and the\n"
                      "lines of the dependency file. Without JOB, uses job.yaml if it exists, "
                      "otherwise the current\n"
                      "directory.",
       .usage = {"[OPTIONS] PACKAGE [JOB]"},
       .examples = {"kinetic env why urllib3", "kinetic env why urllib3 job.yaml --json"},
       .takes_command = true,
       .also = {"--python", "--target"}});
  auto options = std::make_shared<EnvWhyOptions>();
  command.Argument({.names = "PACKAGE", .doc = "Name of the package"}, options->package);
  AddJobArguments(command, options->job);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
