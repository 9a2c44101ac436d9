#pragma once

#include "env/tool_options.h"
#include "job/context.h"

namespace kinetic::job {

/// What Python, uv and pip are run with for a client.
inline env::ToolOptions ToolsOf(const Context& context) {
  return {.cache_dir = context.options.cache_dir,
          .search_path = context.options.search_path,
          .environment = context.options.environment,
          .fs = &context.fs,
          .clock = &context.clock};
}

}  // namespace kinetic::job
