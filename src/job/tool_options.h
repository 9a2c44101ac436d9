#pragma once

#include "env/install/tool_options.h"
#include "job/context.h"

namespace kinetic::job {

/// Returns the options with which a client runs Python, uv and pip.
inline env::ToolOptions ToolsOf(const Context& context) {
  return {.cache_dir = context.options.cache_dir,
          .search_path = context.options.search_path,
          .environment = context.options.environment,
          .fs = &context.fs,
          .clock = &context.clock};
}

}  // namespace kinetic::job
