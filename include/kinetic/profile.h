#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <string>

namespace kinetic {

enum class TargetKind : std::uint8_t { kLocal };

/// A named target: where objects are kept and where jobs run. "local" is built in.
struct Profile {
  std::string name = "local";
  TargetKind kind = TargetKind::kLocal;
  std::string store;              ///< a folder (absolute path), or "gs://bucket/prefix"
  std::uint32_t concurrency = 0;  ///< local: jobs that run at once; 0: one for each two processors
};

}  // namespace kinetic
