#include "program.h"

#include "kinetic/try.h"
#include "kinetic/version.h"

#include "command_line/help.h"
#include "command_line/parse.h"
#include "command_tree.h"
#include "context.h"
#include "diagnostics.h"
#include "documents.h"
#include "exit_code.h"
#include "output/json_output.h"
#include "output/terminal_output.h"
#include "settings/environment.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace kinetic::cli {
namespace {

bool SpeaksUtf8(const Surroundings& here) {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = here.Variable(variable);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

struct Looks {
  std::string color;
  std::string progress;
  bool json;
  bool quiet;
};

std::unique_ptr<Output> MakeOutput(const Looks& looks, const Surroundings& here) {
  Console console(STDOUT_FILENO, STDERR_FILENO);
  if (looks.json) return std::make_unique<JsonOutput>(std::move(console));
  const bool dumb = here.Variable("TERM") == "dumb";
  const auto colored = [&](bool terminal) {
    if (looks.color != "auto") return looks.color == "always";
    return terminal && !dumb && here.Variable("NO_COLOR").empty();
  };
  const bool unicode = SpeaksUtf8(here);
  OutputOptions options{.out = {colored(console.OutIsTerminal()), unicode},
                        .err = {colored(console.ErrIsTerminal()), unicode},
                        .progress = looks.progress != "never",
                        .notes = !looks.quiet};
  if (console.ErrIsTerminal() && !dumb && looks.progress == "auto")
    return std::make_unique<TerminalOutput>(std::move(console), options);
  return std::make_unique<PlainOutput>(std::move(console), options);
}

Looks LooksBeforeSettings(const GlobalOptions& options, const Surroundings& here) {
  const SettingFlags flags = options.Flags();
  return {WithoutProfile(SettingId::kColor, flags, here).text,
          WithoutProfile(SettingId::kProgress, flags, here).text, options.json, options.quiet};
}

/// Reports an error. After Ctrl-C, shows it only if it contains more than the interruption.
void ShowFailure(Output& output, const Error& error, int code, bool interrupted) {
  const bool plain = interrupted && error.code == ErrorCode::kCancelled && error.hint.empty();
  if (!plain) return output.ShowError(error, code);
  if (output.IsJson()) output.ShowError({ErrorCode::kCancelled, "interrupted", {}, {}}, code);
}

/// Writes the remaining output and returns the exit code of a finished command.
int Conclude(Output& output, const Result<int>& result, const std::stop_token& interrupted) {
  const Status written = output.Flush();
  if (!written && written.error().code == ErrorCode::kCancelled) return kOutputClosed;
  int code = result.value_or(kSuccess);
  if (!result) {
    code = ExitCodeFor(result.error().code);
    ShowFailure(output, result.error(), code, interrupted.stop_requested());
  } else if (!written) {
    code = kNotSubmitted;
    output.ShowError(written.error(), code);
  }
  const Status last = output.Flush();
  if (last) return code;
  if (last.error().code == ErrorCode::kCancelled) return kOutputClosed;
  // The error in the JSON answer could not be written. Shows it on stderr instead.
  if (written && !result) ShowFailure(output, result.error(), code, interrupted.stop_requested());
  return code;
}

int ReportUsage(const Error& error, const GlobalOptions& options, const Surroundings& here) {
  const auto output = MakeOutput(LooksBeforeSettings(options, here), here);
  return Conclude(*output, Failure(error), {});
}

/// Prints text that needs no settings, or its document with --json.
int Print(const std::string& text, const Value& document, bool json, const Surroundings& here) {
  const auto output = MakeOutput({"never", "never", json, false}, here);
  output->Bytes(text);
  if (json) output->Document(document);
  return Conclude(*output, kSuccess, {});
}

int PrintHelp(const Command& command, bool json, const Surroundings& here) {
  const std::string text = HelpText(command);
  return Print(text, HelpDocument(command), json, here);
}

struct Loaded {
  ConfigFile config;
  Settings settings;
};

Result<Loaded> LoadSettings(const Command& command, const SettingFlags& flags,
                            const Surroundings& here) {
  KINETIC_ASSIGN_OR_RETURN(const SettingValue location, ConfigLocation(flags, here));
  Loaded loaded;
  KINETIC_ASSIGN_OR_RETURN(loaded.config, ReadConfig(location.text));
  if (!loaded.config.exists && location.origin != Origin::kDefault && !command.text().writes_config)
    return Fail(ErrorCode::kNotFound,
                fmt::format("{}: {} does not exist", location.source, location.text));
  KINETIC_ASSIGN_OR_RETURN(loaded.settings, Resolve(flags, here, loaded.config));
  return loaded;
}

int RunCommand(const Parsed& parsed, const Command& root, const GlobalOptions& options,
               const Surroundings& here, Signals& signals) {
  const SettingFlags flags = options.Flags();
  Loaded loaded;
  if (parsed.command->text().needs_settings) {
    auto result = LoadSettings(*parsed.command, flags, here);
    if (!result) return ReportUsage(result.error(), options, here);
    loaded = *std::move(result);
  } else {
    for (const SettingInfo& info : SettingsTable())
      loaded.settings.Set(info.id, WithoutProfile(info.id, flags, here));
  }
  const auto output =
      MakeOutput({loaded.settings.Text(SettingId::kColor),
                  loaded.settings.Text(SettingId::kProgress), options.json, options.quiet},
                 here);
  const auto log = MakeDiagnostics(loaded.settings.Text(SettingId::kLogLevel), *output);
  const SettingValue& file = loaded.settings.Get(SettingId::kTrace);
  auto trace = OpenTrace(file.text);
  if (!trace) {
    trace.error().message.insert(0, file.source + ": ");
    return Conclude(*output, Failure(std::move(trace).error()), {});
  }
  Context context{.output = *output,
                  .here = here,
                  .root = root,
                  .flags = flags,
                  .config = loaded.config,
                  .settings = loaded.settings,
                  .stop = signals.Interrupted(),
                  .has_rest = parsed.has_rest,
                  .rest = parsed.rest,
                  .log = log.get(),
                  .requests = trace->get()};
  if (parsed.command->text().needs_settings && !options.quiet)
    for (const std::string& remark : UnknownVariables(here)) output->Warn(remark);
  signals.OnResize([&] { output->Resized(); });
  const Result<int> result = parsed.command->action()(context);
  signals.OnResize({});
  if (*trace)
    if (const Status written = (*trace)->Finish(); !written) output->Warn(written.error().message);
  return Conclude(*output, result, context.stop);
}

/// Returns whether an error in the rest of the command line must be reported as JSON.
bool WantsJson(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, "--json") != end;
}

Error NeedsCommand(const Command& command) {
  std::vector<std::string> names;
  for (const auto& child : command.children())
    if (!child->text().hidden) names.push_back(child->text().name);
  return {ErrorCode::kInvalidArgument,
          fmt::format("'{}' needs a command: {}", command.Path(), fmt::join(names, ", ")),
          fmt::format("see '{} --help'", command.Path()),
          {}};
}

}  // namespace

int RunProgram(const std::vector<std::string>& arguments, const Surroundings& here,
               Signals& signals) {
  GlobalOptions options;
  const auto tree = BuildCommandTree(options);
  const Command& root = *tree;
  const Result<Parsed> parsed = Parse(root, arguments);
  if (!parsed) {
    options.json = options.json || WantsJson(arguments);
    return ReportUsage(parsed.error(), options, here);
  }
  const bool json = options.json || WantsJson(arguments);
  if (parsed->help) return PrintHelp(*parsed->command, json, here);
  if (options.version)
    return Print(fmt::format("kinetic {}\n", Version()), VersionDocument(), json, here);
  if (arguments.empty()) return PrintHelp(root, json, here);
  if (!parsed->command->action()) return ReportUsage(NeedsCommand(*parsed->command), options, here);
  return RunCommand(*parsed, root, options, here, signals);
}

}  // namespace kinetic::cli
