#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct CompleteWordsOptions {};

/// Registers the hidden command that completion scripts call.
void RegisterCompleteWords(Command& parent);
Result<int> Run(const CompleteWordsOptions& options, Context& context);

}  // namespace kinetic::cli
