#pragma once

#include "kinetic/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// How the collector prints a job's log for kinetic's clients, and how they read it. Kubernetes
/// merges streams, cuts logs and takes old ones away; because each line says which record it is, a
/// reader always knows what it has and what it lacks.
///
///   {sequence} {attempt} {o|e|s}{n|r|c|-} {microseconds since 1970} {text}
///   end {nonce} {outcome} {sha256 of result.json, or -}
///   # {a diagnostic of the collector's own}
///
/// The second letter is how the record ended: with a line feed, a carriage return, both, or in the
/// midst of a line.
namespace kinetic::pod {

/// Appends a record as a line. Its text holds no line feed but at its end.
void AppendLogLine(std::string& out, const LogRecord& record);

/// The last line: the outcome is in the store. `outcome` is a JobState's name, or "unknown" when
/// the program was killed together with its launcher.
struct EndLine {
  std::string nonce;
  std::string outcome;
  std::string result_sha256;  ///< "-": no result was stored
};

void AppendEndLine(std::string& out, const EndLine& end);

/// A line read: a record, the end, or neither (monostate): a diagnostic.
struct ReadLine {
  std::variant<std::monostate, LogRecord, EndLine> what;
};

/// Reads one line, without its line feed. A record's text is in `text`, with the line end that it
/// had, and is valid as long as that is.
ReadLine ParseLogLine(std::string_view line, std::string& text);

}  // namespace kinetic::pod
