#pragma once

#include "kinetic/export.h"

#include <cstdint>
#include <string_view>

namespace kinetic::inline v0 {

enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarning };

/// Receives the library's diagnostics: decisions at kDebug, milestones at kInfo. The library prints
/// nothing itself.
///
/// @threads  Write may be called concurrently.
class KINETIC_EXPORT LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Write(LogLevel level, std::string_view component, std::string_view message) = 0;
};

}  // namespace kinetic::inline v0
