#pragma once

#include "kinetic/job.h"

namespace kinetic::cli {

struct Context;

/// Notes that a job has no outputs, or none yet.
void NoteNoOutputs(const Job& job, const Context& context);

}  // namespace kinetic::cli
