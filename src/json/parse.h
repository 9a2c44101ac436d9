#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::json {

struct YamlMember;

/// A YAML node with its position. Keeps duplicate keys and the order of keys.
struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  int line = 0;         ///< from 1
  int column = 0;       ///< from 1, in bytes
  std::string text;     ///< of a scalar, unescaped
  bool quoted = false;  ///< a scalar in quotes or a block: always a string
  std::vector<YamlNode> items;
  std::vector<YamlMember> members;
};

/// One entry of a map.
struct YamlMember {
  YamlNode key;
  YamlNode value;
};

/// Limits that protect against malicious text.
struct YamlLimits {
  std::size_t text_bytes = 4U << 20;
  std::size_t marks = 500'000;    ///< of the characters []{},:&*!?
  std::size_t nodes = 1'000'000;  ///< after aliases are expanded
  std::size_t depth = 100;
};

/// Parses one YAML document. An empty text is a null node.
///
/// @errors  kInvalidArgument: a syntax error, a second document, an alias to nothing, a tag (!!str,
///          !mine), or a limit; with the details "line" and "column".
/// @source  https://yaml.org/spec/1.2.2/
Result<YamlNode> ParseYaml(std::string_view text, const YamlLimits& limits = {});

/// Converts a node to JSON, by the YAML 1.2 core schema: `yes` is a string, `0x10` is 16.
Value ToValue(const YamlNode& node);

/// Parses TOML 1.0. Dates and times become strings as written in RFC 3339.
///
/// @errors  kInvalidArgument: the parser's message, with the details "line" and "column", or a key
///          with more than 256 dots.
/// @source  https://toml.io/en/v1.0.0
Result<Value> ParseToml(std::string_view text);

/// The only key of a map that represents an integer beyond 64 bits; its value is the digits. No
/// JSON has this key, because it is not UTF-8.
inline constexpr std::string_view kBigInteger =
    "\xff"
    "int";

/// Parses JSON like Value::FromJson, but accepts integers of up to 308 digits: {kBigInteger:
/// digits}.
Result<Value> FromJsonWithBigIntegers(std::string_view text);

}  // namespace kinetic::json
