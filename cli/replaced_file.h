#pragma once

#include "kinetic/result.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace kinetic::cli {

/// A file that is created or replaced when it is closed without an error. A special file
/// (/dev/stderr, a pipe) is written directly.
class ReplacedFile {
 public:
  explicit ReplacedFile(const std::filesystem::path& path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  /// @errors  kFailedPrecondition: names the file and the cause.
  Status Write(std::string_view bytes);
  Status Close();

 private:
  Failure WriteError() const;

  std::filesystem::path path_;
  std::filesystem::path written_;
  std::ofstream file_;
};

}  // namespace kinetic::cli
