#pragma once

#include "kinetic/result.h"

#include "commands/job/answer.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct AttachOptions {
  std::string id;
  std::optional<std::uint64_t> tail;
  std::optional<std::uint64_t> since_sequence;
  bool cancel_on_interrupt = false;
  AnswerOptions answer;
};

void RegisterAttach(Command& parent);
Result<int> Run(const AttachOptions& options, Context& context);

}  // namespace kinetic::cli
