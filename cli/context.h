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

/// Opens the target of the settings.
Result<Client> OpenClient(const Context& context);

/// Opens the target of a job: the one that its file names, else that of the settings.
Result<Client> OpenClient(const Context& context, const JobSpec& spec);

/// The jobs that a command names, all of them or an error.
Result<std::vector<Job>> FindJobs(Client& client, const std::vector<std::string>& ids,
                                  const Context& context);

}  // namespace kinetic::cli
