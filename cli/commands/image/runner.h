#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ImageRunnerOptions {
  std::optional<std::string> push;
  std::optional<std::string> output;
  std::optional<std::string> reference;
  std::optional<std::string> compression;
  std::optional<std::string> ca_certificates;
  bool plain_http = false;
};

void RegisterImageRunner(Command& parent);
Result<int> Run(const ImageRunnerOptions& options, Context& context);

}  // namespace kinetic::cli
