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
#include "folder_advice.h"
#include "output/json_output.h"
#include "output/terminal_output.h"
#include "output/text.h"
#include "settings/sources.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace kinetic::cli {
namespace {

bool HasUtf8Locale(const ProcessEnvironment& process) {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = process.Variable(variable);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

struct DisplaySettings {
  std::string color;
  std::string progress;
  bool json;
  bool quiet;
};

std::unique_ptr<Output> MakeOutput(const DisplaySettings& display,
                                   const ProcessEnvironment& process) {
  Console console(STDOUT_FILENO, STDERR_FILENO);
  if (display.json) return std::make_unique<JsonOutput>(std::move(console));
  const bool dumb = process.Variable("TERM") == "dumb";
  const auto colored = [&](bool terminal) {
    if (display.color != "auto") return display.color == "always";
    return terminal && !dumb && process.Variable("NO_COLOR").empty();
  };
  const bool unicode = HasUtf8Locale(process);
  OutputOptions options{.out = {colored(console.OutIsTerminal()), unicode},
                        .err = {colored(console.ErrIsTerminal()), unicode},
                        .progress = display.progress != "never",
                        .notes = !display.quiet};
  // A notebook runs commands on a terminal, but does not erase lines that are written again.
  const bool notebook = !process.Variable("JPY_PARENT_PID").empty();
  if (console.ErrIsTerminal() && !dumb && !notebook && display.progress == "auto")
    return std::make_unique<TerminalOutput>(std::move(console), options);
  return std::make_unique<PlainOutput>(std::move(console), options);
}

DisplaySettings DisplaySettingsWithoutProfile(const GlobalOptions& options,
                                              const ProcessEnvironment& process) {
  const SettingFlags flags = options.Flags();
  return {ResolveWithoutProfile(SettingId::kColor, flags, process).text,
          ResolveWithoutProfile(SettingId::kProgress, flags, process).text, options.json,
          options.quiet};
}

/// Reports an error. After Ctrl-C, omits an error that only reports the interruption.
void ShowFailure(Output& output, const Error& error, int code, bool interrupted) {
  const bool plain = interrupted && error.code == ErrorCode::kCancelled && error.hint.empty();
  if (!plain) return output.ShowError(error, code);
  if (output.IsJson()) output.ShowError({ErrorCode::kCancelled, "interrupted", {}, {}}, code);
}

/// Writes the remaining output and returns the exit code of a finished command.
int FinishOutput(Output& output, const Result<int>& result, const std::stop_token& interrupted) {
  const Status written = output.Flush();
  if (!written && written.error().code == ErrorCode::kCancelled) return kOutputClosed;
  int code = result.value_or(kSuccess);
  if (!result) {
    code = ExitCodeFor(result.error());
    ShowFailure(output, result.error(), code, interrupted.stop_requested());
  } else if (!written) {
    code = kNotSubmitted;
    output.ShowError(written.error(), code);
  }
  const Status last = output.Flush();
  if (last) return code;
  if (last.error().code == ErrorCode::kCancelled) return kOutputClosed;
  // The JSON answer with the error could not be written, so the error is shown on stderr.
  if (written && !result) ShowFailure(output, result.error(), code, interrupted.stop_requested());
  return code;
}

/// Reports one mistake in the command line or the settings, whose words it may quote.
int ReportUsage(Error error, const GlobalOptions& options, const ProcessEnvironment& process) {
  error.message = OneLine(error.message);
  const auto output = MakeOutput(DisplaySettingsWithoutProfile(options, process), process);
  return FinishOutput(*output, Failure(std::move(error)), {});
}

/// Makes the output for text that needs no settings.
std::unique_ptr<Output> MakeTextOutput(bool json, const ProcessEnvironment& process) {
  return MakeOutput({"never", "never", json, false}, process);
}

int PrintVersion(bool json, const ProcessEnvironment& process) {
  const auto output = MakeTextOutput(json, process);
  output->Bytes(fmt::format("kinetic {}\n", Version()));
  if (json) output->Document(VersionDocument());
  return FinishOutput(*output, kSuccess, {});
}

int PrintHelp(const Command& command, bool json, const ProcessEnvironment& process) {
  const auto output = MakeTextOutput(json, process);
  output->Bytes(HelpText(command, output->Columns()));
  if (json) output->Document(HelpDocument(command));
  return FinishOutput(*output, kSuccess, {});
}

struct LoadedSettings {
  ConfigFile config;
  Settings settings;
  std::string warning;  ///< the current profile cannot be used
};

Result<LoadedSettings> LoadSettings(const Command& command, const SettingFlags& flags,
                                    const ProcessEnvironment& process) {
  LoadedSettings loaded;
  KINETIC_ASSIGN_OR_RETURN(loaded.config,
                           ReadConfig(flags, process, !command.text().writes_config));
  auto settings = Resolve(flags, process, loaded.config);
  if (!settings && command.text().any_target) {
    loaded.warning = settings.error().message;
    settings = Resolve(flags, process, loaded.config, JobTarget{"local", {}});
  }
  if (!settings) return Failure(std::move(settings).error());
  loaded.settings = *std::move(settings);
  return loaded;
}

int RunCommand(const Parsed& parsed, const Command& root, const GlobalOptions& options,
               const ProcessEnvironment& process, Signals& signals) {
  const SettingFlags flags = options.Flags();
  LoadedSettings loaded;
  if (parsed.command->text().needs_settings) {
    auto result = LoadSettings(*parsed.command, flags, process);
    if (!result) return ReportUsage(result.error(), options, process);
    loaded = *std::move(result);
  } else {
    for (const SettingInfo& info : SettingsTable())
      loaded.settings.Set(info.id, ResolveWithoutProfile(info.id, flags, process));
  }
  const auto output =
      MakeOutput({loaded.settings.Text(SettingId::kColor),
                  loaded.settings.Text(SettingId::kProgress), options.json, options.quiet},
                 process);
  const auto log = MakeDiagnostics(loaded.settings.Text(SettingId::kLogLevel), *output);
  const SettingValue& file = loaded.settings.Get(SettingId::kTrace);
  auto trace = OpenTrace(file.text);
  if (!trace) {
    trace.error().message.insert(0, file.source + ": ");
    return FinishOutput(*output, Failure(std::move(trace).error()), {});
  }
  WaitNotes waits(*output);
  Context context{.output = *output,
                  .process = process,
                  .root = root,
                  .flags = flags,
                  .config = loaded.config,
                  .settings = loaded.settings,
                  .stop = signals.Interrupted(),
                  .signals = &signals,
                  .quiet = options.quiet,
                  .verbose = options.verbose > 0,
                  .zone = options.utc ? TimeZone::kUtc : TimeZone::kLocal,
                  .has_rest = parsed.has_rest,
                  .rest_is_program = parsed.rest_is_program,
                  .rest = parsed.rest,
                  .log = log.get(),
                  .requests = trace->get(),
                  .waits = &waits};
  if (parsed.command->text().needs_settings && !options.quiet)
    for (const std::string& remark : UnknownVariables(process)) output->Warn(remark);
  if (!loaded.warning.empty()) output->Warn(loaded.warning);
  signals.OnResize([&] { output->Resized(); });
  Result<int> result = parsed.command->action()(context);
  if (!result) result = Failure(WithFolderAdvice(std::move(result).error(), loaded.settings));
  signals.OnResize({});
  if (*trace)
    if (const Status written = (*trace)->Finish(); !written) output->Warn(written.error().message);
  return FinishOutput(*output, result, context.stop);
}

/// Returns whether an error in the rest of the command line must be reported as JSON.
bool HasJsonFlag(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, "--json") != end;
}

Error MissingCommand(const Command& command) {
  std::vector<std::string> names;
  for (const auto& child : command.children())
    if (!child->text().hidden) names.push_back(child->text().name);
  return {ErrorCode::kInvalidArgument,
          fmt::format("'{}' requires a command: {}", command.Path(), fmt::join(names, ", ")),
          fmt::format("see '{} --help'", command.Path()),
          {}};
}

}  // namespace

int RunProgram(const std::vector<std::string>& arguments, const ProcessEnvironment& process,
               Signals& signals) {
  GlobalOptions options;
  const auto tree = BuildCommandTree(options);
  const Command& root = *tree;
  const Result<Parsed> parsed = Parse(root, arguments);
  if (!parsed) {
    options.json = options.json || HasJsonFlag(arguments);
    return ReportUsage(parsed.error(), options, process);
  }
  const bool json = options.json || HasJsonFlag(arguments);
  if (parsed->help) return PrintHelp(*parsed->command, json, process);
  if (options.version) return PrintVersion(json, process);
  if (arguments.empty()) return PrintHelp(root, json, process);
  if (!parsed->command->action())
    return ReportUsage(MissingCommand(*parsed->command), options, process);
  return RunCommand(*parsed, root, options, process, signals);
}

}  // namespace kinetic::cli
