#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace kinetic::spec {

/// What a string must look like, for the parser and for the JSON Schema.
struct TextRule {
  std::string_view pattern;                          ///< ECMAScript regular expression; empty: any
  bool (*accepts)(std::string_view text) = nullptr;  ///< the same, in code; null: any
};

struct IntegerRule {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct Key;

/// What may stand at one place of a job file: any of the kinds that are set.
struct Shape {
  std::string_view expected;  ///< for messages: "an integer of 1 or more"
  bool anything = false;      ///< any value at all; the rest does not count then
  bool null = false;
  bool boolean = false;
  bool number = false;  ///< above 0, whole or not
  std::optional<IntegerRule> integer;
  std::optional<TextRule> text;
  std::span<const std::string_view> choices;  ///< right names, for "did you mean"
  bool as_written = false;                    ///< numbers and booleans are taken as their text
  std::string_view hint;                      ///< said when a number or boolean stands for a string
  const Shape* items = nullptr;               ///< a list of these
  std::size_t least_items = 0;
  const Shape* values = nullptr;    ///< a map with names of the user's
  TextRule names;                   ///< of such a map
  std::string_view expected_names;  ///< for messages
  std::span<const Key> keys;        ///< a map with the names given here
};

/// One key of the job file: what the parser knows it by, and what schema and reference say of it.
struct Key {
  std::string_view name;
  const Shape* shape = nullptr;
  std::string_view doc;      ///< one or two sentences
  std::string_view absent;   ///< what holds without it
  std::string_view example;  ///< YAML
  bool reserved = false;     ///< validated, and refused by every target so far
  bool required = false;
};

/// The whole job file: a shape with `keys`.
const Shape& JobFileShape();

}  // namespace kinetic::spec
