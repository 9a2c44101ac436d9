#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct LogsOptions {
  std::string id;
  bool follow = false;
  bool timestamps = false;
  std::optional<std::uint64_t> tail;
  std::optional<std::uint64_t> since_sequence;
  std::optional<std::string> stream;
};

void RegisterLogs(Command& parent);
Result<int> Run(const LogsOptions& options, Context& context);

}  // namespace kinetic::cli
