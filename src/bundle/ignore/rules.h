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

/// What a list of rules says of a path.
enum class Verdict : std::uint8_t {
  kNone,     ///< no rule matches
  kExclude,  ///< the last rule that matches leaves it out
  kInclude,  ///< the last rule that matches begins with '!'
};

/// The rules of one ignore file, with the meaning of a .gitignore: the last rule that matches
/// decides. Lookups cost little however many rules are plain names or `*.ext`.
///
/// @source https://git-scm.com/docs/gitignore
/// @threads  safe to ask concurrently.
class IgnoreRules {
 public:
  /// Any bytes are a valid file: a line that makes no sense matches nothing.
  static IgnoreRules Parse(std::string_view text);

  /// Each string is one line of an ignore file.
  static IgnoreRules FromLines(std::span<const std::string> lines);

  /// @param path       relative to the folder of the ignore file, '/'-separated, without a '/' at
  ///                   its end.
  /// @param is_folder  not for a symbolic link to a folder.
  Verdict Decide(std::string_view path, bool is_folder) const;

  bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    bool negated = false;
    bool folders_only = false;
    bool whole_path = false;  ///< else the last component alone is compared
    std::string literal;      ///< what comes before the first wildcard
    std::optional<Wildcard> wildcard;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Index = std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>>;

  void AddLine(std::string_view line);
  void AddPattern(std::string_view pattern, Rule rule);
  std::optional<std::uint32_t> LastOf(const Index& index, std::string_view key,
                                      bool is_folder) const;
  bool Matches(const Rule& rule, std::string_view path, std::string_view name) const;

  std::vector<Rule> rules_;
  Index names_;                      ///< rules that are a name
  Index paths_;                      ///< rules that are a path
  Index extensions_;                 ///< rules that are `*` and an extension, by ".ext"
  std::vector<std::uint32_t> wild_;  ///< all others, ascending
};

/// Returns the rules for what is not bundled unless a .kineticignore, `exclude` or
/// `default_excludes: false` says otherwise.
const IgnoreRules& DefaultExcludes();

/// One sort of file whose name says that it may hold a secret.
struct SecretName {
  std::string_view pattern;  ///< as a line of a .gitignore; '!' takes back
  std::string_view meaning;  ///< "a private key"
};

/// The table, for the documentation. Upper and lower case do not count.
std::span<const SecretName> SecretNames();

/// What a file of this path probably holds, when its name looks like a secret.
///
/// @param path  relative to the root, '/'-separated.
std::optional<std::string_view> SecretMeaning(std::string_view path);

}  // namespace kinetic::bundle
