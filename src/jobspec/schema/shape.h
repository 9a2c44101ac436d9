#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace kinetic::jobspec {

/// The format of a string, for the parser and for the JSON Schema.
struct TextRule {
  std::string_view pattern;                          ///< ECMAScript regular expression; empty: any
  bool (*accepts)(std::string_view text) = nullptr;  ///< equivalent check; null: any
};

struct IntegerRule {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct Key;

/// The values accepted at one place of a job file: all kinds that are set.
struct Shape {
  std::string_view expected;  ///< for messages: "an integer of 1 or more"
  bool anything = false;      ///< any value; other members are ignored
  bool null = false;
  bool boolean = false;
  bool number = false;  ///< above 0
  std::optional<IntegerRule> integer;
  std::optional<TextRule> text;
  std::span<const std::string_view> choices;  ///< valid names, for "did you mean"
  bool as_written = false;                    ///< accepts numbers and booleans as text
  std::string_view hint;         ///< for messages about a number or boolean instead of a string
  const Shape* items = nullptr;  ///< a list of these
  std::size_t least_items = 0;
  const Shape* values = nullptr;    ///< a map with arbitrary names
  TextRule names;                   ///< format of the names of such a map
  std::string_view expected_names;  ///< for messages
  std::span<const Key> keys;        ///< a map with these names
};

/// One key of the job file, for the parser, the JSON Schema and the reference.
struct Key {
  std::string_view name;
  const Shape* shape = nullptr;
  std::string_view doc;      ///< one or two sentences
  std::string_view absent;   ///< the default
  std::string_view example;  ///< YAML
  bool reserved = false;     ///< validated, but not supported by any target
  bool required = false;
};

/// Returns the shape of a whole job file.
const Shape& JobFileShape();

}  // namespace kinetic::jobspec
