#pragma once

#include "kinetic/result.h"

#include "env/install/tool_options.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace kinetic::env {

/// Holds a file locked against other processes, and other holders in this one, until it goes. The
/// file itself stays: removing it would let two hold "the" lock.
class FileLock {
 public:
  /// Nothing: somebody else holds it.
  static Result<std::optional<FileLock>> Try(FileSystem& fs, const Path& path);

  /// Waits for it; `on_wait` is called once if it has to.
  /// @errors  kCancelled · those of opening the file.
  static Result<FileLock> Wait(const ToolOptions& tools, const Path& path,
                               const std::function<void()>& on_wait, std::stop_token stop);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kinetic::env
