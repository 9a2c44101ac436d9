#include "command_tree.h"

#include "commands/all.h"

#include <algorithm>

namespace kinetic::cli {
namespace {

constexpr const char* kNoShell =
    "kinetic cannot run a command in a running job; to follow its output: kinetic logs -f ID; to "
    "copy its files: kinetic cp ID:PATH .";

CompletionKind CompletionOf(const SettingInfo& info) {
  if (info.id == SettingId::kTarget) return CompletionKind::kProfile;
  if (info.id == SettingId::kContext) return CompletionKind::kContext;
  if (info.type == SettingType::kPaths) return CompletionKind::kFile;
  if (info.type == SettingType::kStore) return CompletionKind::kFolder;
  if (info.type != SettingType::kPath) return CompletionKind::kNothing;
  return info.placeholder == "DIR" ? CompletionKind::kFolder : CompletionKind::kFile;
}

}  // namespace

SettingFlags GlobalOptions::Flags() const {
  SettingFlags flags;
  for (const SettingInfo& info : SettingsTable())
    if (const auto& given = settings.at(static_cast<std::size_t>(info.id)); given)
      flags[info.id] = *given;
  constexpr std::array kLevels = {"info", "debug", "trace"};
  if (verbose > 0)
    flags.try_emplace(SettingId::kLogLevel,
                      kLevels.at(std::min<std::size_t>(static_cast<std::size_t>(verbose), 3) - 1));
  if (quiet) flags.try_emplace(SettingId::kProgress, "never");
  return flags;
}

std::unique_ptr<Command> BuildCommandTree(GlobalOptions& options) {
  auto tree = std::make_unique<Command>(CommandText{
      .name = "kinetic",
      .summary = "",
      .description = "Run code on an accelerator or on this machine, and get the result back.",
      .usage = {"COMMAND [OPTIONS] ...", "COMMAND --help"},
      .examples = {"kinetic run", "kinetic run train.py --epochs 1", "kinetic ps",
                   "kinetic logs -f ID"},
      .refused = {
          {"exec", kNoShell},
          {"shell", kNoShell},
          {"ssh", kNoShell},
          {"top",
           "kinetic does not measure the load of jobs; on a cluster: kubectl top pod; to see what "
           "runs: kinetic ps --watch"},
          {"sweep",
           "run one job with a task for each value: kinetic run train.py --over lr=0.1,0.01"}}});
  Command& root = *tree;
  RegisterAll(root);
  root.Flag({"--json", "", "Print results and errors as JSON on stdout"}, options.json);
  root.Flag({"-q,--quiet", "", "Print results, warnings, and errors only"}, options.quiet);
  root.Flag({"--utc", "", "Print times in UTC instead of the local time zone"}, options.utc);
  root.Count({"-v,--verbose", "", "Print diagnostics to stderr; -vv and -vvv print more"},
             options.verbose);
  root.Flag({"--version", "", "Print the version"}, options.version);
  for (const SettingInfo& info : SettingsTable()) {
    if (info.flag.empty()) continue;
    root.Text({std::string(info.flag), std::string(info.placeholder), std::string(info.doc),
               CompletionOf(info), Choices(info), info.id != SettingId::kTarget},
              options.settings.at(static_cast<std::size_t>(info.id)));
  }
  return tree;
}

}  // namespace kinetic::cli
