#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct PsOptions {
  bool all = false;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> state;
  std::optional<std::string> name;
  std::optional<std::string> owner;
};

void RegisterPs(Command& parent);
Result<int> Run(const PsOptions& options, Context& context);

}  // namespace kinetic::cli
