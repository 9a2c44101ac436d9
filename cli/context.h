#pragma once

#include "kinetic/client.h"
#include "kinetic/log.h"
#include "kinetic/observer.h"

#include "output/base.h"
#include "output/text.h"
#include "settings_names.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
class Signals;

/// The dependencies of a command's action.
struct Context {
  Output& output;
  const ProcessEnvironment& process;
  const Command& root;               ///< the whole command tree
  const SettingFlags& flags;         ///< the settings given as options
  const ConfigFile& config;          ///< empty for commands that need no settings
  const Settings& settings;          ///< resolved without a job file
  std::stop_token stop;              ///< set by Ctrl-C
  Signals* signals = nullptr;        ///< the source of `stop`
  bool quiet = false;                ///< --quiet
  bool verbose = false;              ///< --verbose
  TimeZone zone = TimeZone::kLocal;  ///< of times for people; documents are in UTC
  bool has_rest = false;             ///< the command line contains "--", or names a program
  bool rest_is_program = false;      ///< `rest` has no "--" before it
  std::vector<std::string> rest;     ///< the words after "--", or from the program on
  LogSink* log = nullptr;
  RequestSink* requests = nullptr;  ///< for --trace
  WaitSink* waits = nullptr;
};

/// Returns the options of a client with these settings.
ClientOptions ClientOptionsOf(const Context& context, const Settings& settings);

/// Opens the target that the settings specify.
Result<Client> OpenClient(const Context& context);

/// Returns the settings of the target that the job file specifies, or else the current one's.
Result<Settings> SettingsFor(const Context& context, const JobSpec& spec);

/// Opens the target that the job file specifies, or else the target of the settings.
Result<Client> OpenClient(const Context& context, const JobSpec& spec);

/// Prints the warnings of an operation, next to its answer.
class Warnings final : public Observer {
 public:
  explicit Warnings(Output& output) : output_(output) {}
  void OnWarning(std::string_view message) override { output_.Warn(message); }

 private:
  Output& output_;
};

}  // namespace kinetic::cli
