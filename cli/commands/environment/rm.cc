#include "kinetic/environments.h"
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

struct EnvRmOptions {
  std::vector<std::string> ids;
};

Result<int> Run(const EnvRmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Value::List removed;
  KINETIC_ASSIGN_OR_RETURN(const auto environments,
                           client.environments().Remove(options.ids, context.stop));
  for (const EnvironmentSummary& environment : environments) {
    context.output.Line(environment.id);
    removed.emplace_back(environment.id);
  }
  context.output.Note("'kinetic gc' removes packages that no environment used for two days");
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", std::move(removed)}});
  return kSuccess;
}

}  // namespace

void RegisterEnvRm(Command& parent) {
  Command& command = parent.Add({.name = "rm",
                                 .summary = "Remove cached environments",
                                 .description = "Remove environments that no running job uses. If "
                                                "a later job needs a removed environment,\n"
                                                "kinetic builds it again. 'kinetic gc' removes "
                                                "environments that have not been used for a long\n"
                                                "time.",
                                 .usage = {"[OPTIONS] ID..."},
                                 .examples = {"kinetic env rm 3f9c11"}});
  auto options = std::make_shared<EnvRmOptions>();
  command.Arguments({.names = "ID", .doc = "Environments, as listed by 'kinetic env ls'"},
                    options->ids);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
