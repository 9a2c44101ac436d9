#pragma once

#include "bundle/ignore/wildcard.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kinetic::bundle {

/// The result of matching a path against a list of rules.
enum class RuleMatch : std::uint8_t {
  kNone,     ///< no rule matches
  kExclude,  ///< the last matching rule excludes it
  kInclude,  ///< the last matching rule begins with '!'
};

/// The rules of one ignore file, with the semantics of .gitignore: the last matching rule decides.
/// Rules that are plain names or `*.ext` are looked up in an index.
///
/// @source https://git-scm.com/docs/gitignore
/// @threads  safe to call concurrently.
class IgnoreRules {
 public:
  /// Parses an ignore file. Never fails: a malformed line matches nothing.
  static IgnoreRules Parse(std::string_view text);

  /// Parses rules, each of which is one line of an ignore file.
  static IgnoreRules FromLines(std::span<const std::string> lines);

  /// @param path       relative to the folder of the ignore file, '/'-separated, without a trailing
  ///                   '/'.
  /// @param is_folder  false for a symbolic link to a folder.
  RuleMatch Match(std::string_view path, bool is_folder) const;

  bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    bool negated = false;
    bool folders_only = false;
    bool whole_path = false;  ///< otherwise only the last component is compared
    std::string literal;      ///< the part before the first wildcard
    std::optional<Wildcard> wildcard;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Index = std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>>;

  void AddLine(std::string_view line);
  void AddPattern(std::string_view pattern, Rule rule);
  std::optional<std::uint32_t> FindLast(const Index& index, std::string_view key,
                                        bool is_folder) const;
  bool Matches(const Rule& rule, std::string_view path, std::string_view name) const;

  std::vector<Rule> rules_;
  Index names_;                      ///< rules without wildcards and '/'
  Index paths_;                      ///< rules without wildcards, with '/'
  Index extensions_;                 ///< rules `*.ext`, by ".ext"
  std::vector<std::uint32_t> wild_;  ///< all others, ascending
};

/// Returns the built-in rules, which a .kineticignore or `exclude` can override and
/// `default_excludes: false` disables.
const IgnoreRules& DefaultExcludes();

/// A pattern of file names that suggest a secret.
struct SecretPattern {
  std::string_view pattern;  ///< a line of a .gitignore; '!' negates
  std::string_view content;  ///< "a private key"
};

/// Returns the built-in patterns, which are matched case-insensitively.
std::span<const SecretPattern> SecretPatterns();

/// Returns the likely content of a file whose name suggests a secret, or nullopt for other names.
///
/// @param path  relative to the root, '/'-separated.
std::optional<std::string_view> MatchSecretPattern(std::string_view path);

}  // namespace kinetic::bundle
