#pragma once

#include "kinetic/job_spec.h"

#include "json/yaml.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::spec {

/// Collects what is wrong with a job file, each with its place.
///
/// A node that does not come from the file (`--set`, `--arg`, `--env`) has line 0, and as its
/// column the number that AddSource gave; Mark sets both.
///
/// @threads  one thread at a time.
class Diagnostics {
 public:
  /// `file` is how messages name the file; `text`, its content, outlives the object.
  Diagnostics(std::string file, std::string_view text);

  /// Names a source beside the file: "--set resources.memory".
  int AddSource(std::string label);
  static void Mark(json::YamlNode& node, int source);

  SourcePosition PositionOf(const json::YamlNode& node) const;
  /// The text from a node of the file on; empty for a node from elsewhere.
  std::string_view TextAt(const json::YamlNode& node) const;

  void Add(const json::YamlNode& at, std::string message);
  void Add(const SourcePosition& at, std::string message);
  bool ok() const { return count_ == 0; }
  /// Whether more errors would be counted only: their messages need not be made.
  bool full() const;

  /// All that was found, one a line, by place: kInvalidArgument with the detail "errors".
  Error Finish() const;

 private:
  struct Entry {
    SourcePosition at;
    int line, column;  // for sorting: what is not from the file comes last
    std::size_t order;
    std::string message;
  };
  std::size_t OffsetOf(const json::YamlNode& node) const;
  int CharactersBefore(std::size_t offset) const;

  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::vector<int> characters_before_;  // at every kBlock bytes, so that no place is far from one
  std::vector<std::string> sources_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

/// A value as messages show it: `"ten"`, `3`, `true`, "a list", "nothing".
std::string Found(const json::YamlNode& node);

/// `, did you mean X?` or nothing.
std::string DidYouMean(std::string_view found, const std::vector<std::string>& candidates);

}  // namespace kinetic::spec
