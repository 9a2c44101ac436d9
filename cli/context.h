#pragma once

#include "kinetic/client.h"
#include "kinetic/log.h"

#include "output/output.h"
#include "settings/settings.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::cli {

class Command;

/// What a command works with.
struct Context {
  Output& output;
  const Surroundings& here;
  const Command& root;            ///< the whole command line
  const SettingFlags& flags;      ///< the settings that were given as options
  const ConfigFile& config;       ///< empty for commands that need no settings
  const Settings& settings;       ///< resolved without a job file
  std::stop_token stop;           ///< Ctrl-C
  bool has_rest = false;          ///< there was a "--"
  std::vector<std::string> rest;  ///< what came after it
  LogSink* log = nullptr;
  RequestSink* requests = nullptr;  ///< of --trace
};

/// Opens the target of the settings, or the one that a job file names.
Result<Client> OpenClient(const Context& context, const std::string& job_target = {});

}  // namespace kinetic::cli
