#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include <regex.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::cli {

/// A POSIX extended regular expression, as in `grep -E`.
class Pattern {
 public:
  /// @errors  kInvalidArgument, for the option --grep.
  static Result<Pattern> Parse(const std::string& text);

  bool IsIn(std::string_view line) const;

 private:
  struct Free {
    void operator()(regex_t* compiled) const;
  };
  explicit Pattern(std::unique_ptr<regex_t, Free> compiled) : compiled_(std::move(compiled)) {}

  std::unique_ptr<regex_t, Free> compiled_;
};

/// Selects records of a log.
struct LogFilter {
  std::optional<std::chrono::system_clock::time_point> since;
  std::optional<std::chrono::system_clock::time_point> until;
  std::optional<Pattern> pattern;

  bool IsGiven() const { return since || until || pattern; }
  bool Matches(const LogRecord& record) const;
};

}  // namespace kinetic::cli
