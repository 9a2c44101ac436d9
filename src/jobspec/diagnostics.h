#pragma once

#include "kinetic/error.h"
#include "kinetic/job_spec.h"

#include "json/parse.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::jobspec {

/// Collects the errors of a job file with their positions.
///
/// A node that comes from an option (`--set`, `--arg`, `--env`) has line 0 and the number from
/// AddSource as its column; SetSource sets both.
///
/// @threads  one thread at a time.
class Diagnostics {
 public:
  /// `file` is the name used in messages. `text`, its content, must outlive the object.
  Diagnostics(std::string file, std::string_view text);

  /// Adds another source of nodes, such as "--set resources.memory".
  ///
  /// @param key  the key that it sets. Messages about it begin with the label only.
  int AddSource(std::string label, std::string key = {});
  static void SetSource(json::YamlNode& node, int source);

  SourcePosition PositionOf(const json::YamlNode& node) const;
  /// Returns the file's text from the node on; empty for a node from an option.
  std::string_view TextAt(const json::YamlNode& node) const;

  void Add(const json::YamlNode& at, std::string message);
  void Add(const SourcePosition& at, std::string message);
  bool ok() const { return count_ == 0; }
  /// Returns whether further errors are only counted, so their messages need not be built.
  bool full() const;

  /// Returns all errors, one per line, by position: kInvalidArgument with the detail "errors".
  Error Finish() const;

 private:
  struct Source {
    std::string label;
    std::string key;
  };
  struct Entry {
    SourcePosition at;
    int line, column;  // for sorting: errors in options come last
    std::size_t order;
    std::string message;
  };
  const Source& SourceOf(const json::YamlNode& node) const;
  std::size_t OffsetOf(const json::YamlNode& node) const;
  int CharactersBefore(std::size_t offset) const;

  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::vector<int> characters_before_;  // every kBlock bytes, to bound the counting
  std::vector<Source> sources_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

/// Returns a value for messages: `"ten"`, `3`, `true`, "a list", "nothing".
std::string Found(const json::YamlNode& node);

/// The message for text from outside the job file.
inline constexpr std::string_view kNotUtf8 =
    "not valid UTF-8; encode the bytes as text, such as base64, or put them into a file";

/// Returns `; did you mean X?`, or an empty string.
std::string DidYouMean(std::string_view found, const std::vector<std::string>& candidates);

/// Reports a syntax error of the YAML parser with a fix, at its cause: a tab in the indentation is
/// reported instead of the error that it caused.
void AddSyntaxError(const Error& error, std::string_view text, Diagnostics& diagnostics);

/// Returns what is wrong and how to mend it, for a message of the YAML parser.
std::string SyntaxMessage(std::string_view message);

/// Returns a key for the beginning of a message: "job.yaml:3:7: resources.memory" for one in a file,
/// or the option that sets it, "--memory".
///
/// @param key  the key's path, "resources.memory".
std::string KeyWithPosition(const JobSpec& spec, std::string_view key);

/// Adds the location of the key to an error whose message starts with "key: ". Returns other errors
/// unchanged.
Error WithKeyPosition(const JobSpec& spec, std::string_view key, Error error);

}  // namespace kinetic::jobspec
