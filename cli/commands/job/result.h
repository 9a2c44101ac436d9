#pragma once

#include "kinetic/result.h"

#include "commands/job/answer.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ResultOptions {
  std::string id;
  std::optional<std::string> reference;
  AnswerOptions answer;
};

void RegisterResult(Command& parent);
Result<int> Run(const ResultOptions& options, Context& context);

}  // namespace kinetic::cli
