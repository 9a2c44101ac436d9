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
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// The range of a number, size or duration, both ends included.
struct Range {
  double min = 0;
  double max = 0;
  /// Returns the value of text, in bytes or milliseconds; null for numbers.
  std::optional<double> (*measure)(std::string_view text) = nullptr;
};

struct Key;

/// The values accepted at one place of a job file: all kinds that are set.
struct Shape {
  std::string_view expected;  ///< for messages: "an integer of 1 or more"
  bool any = false;           ///< any value; other members are ignored
  bool null = false;
  bool boolean = false;
  bool number = false;         ///< any number in `range`
  std::optional<Range> range;  ///< of numbers and of text; `expected` names it
  std::optional<IntegerRule> integer;
  std::optional<TextRule> text;
  std::span<const std::string_view> choices;  ///< valid names, for "did you mean"
  bool as_written = false;                    ///< accepts numbers and booleans as text
  std::string_view hint;         ///< for messages about a number or boolean instead of a string
  bool suggests_unit = false;    ///< a number below `range` is probably a size in Gi or Mi
  const Shape* items = nullptr;  ///< a list of these
  std::size_t min_items = 0;
  const Shape* values = nullptr;    ///< a map with arbitrary names
  TextRule names;                   ///< format of the names of such a map
  std::string_view expected_names;  ///< for messages
  std::span<const Key> keys;        ///< a map with these keys
};

/// One key of the job file, for the parser, the JSON Schema and the reference.
struct Key {
  std::string_view name;
  const Shape* shape = nullptr;
  std::string_view doc;            ///< one or two sentences
  std::string_view default_value;  ///< the default
  std::string_view example;        ///< YAML
  bool reserved = false;           ///< validated, but not supported by any target
  bool required = false;
};

/// Returns the shape of a whole job file.
const Shape& JobFileShape();

/// Shapes of the keys for resources, arrays, cost, retries and timeouts.
extern const Shape kResources;
extern const Shape kArray;
extern const Shape kRetry;
extern const Shape kTimeouts;
extern const Shape kSlices;
extern const Shape kMaxCost;

inline constexpr std::string_view kLabelPattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
/// module:callable, each of dotted identifiers: letters, digits, `_` and non-ASCII characters, not
/// starting with a digit.
inline constexpr std::string_view kFunctionPattern =
    "^[^\\x00-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f][^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]"
    "*"
    "(\\.[^\\x00-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]"
    "[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*)*"
    ":[^\\x00-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f][^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]"
    "*"
    "(\\.[^\\x00-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]"
    "[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*)*$";

std::optional<double> MeasureBytes(std::string_view text);
std::optional<double> MeasureDuration(std::string_view text);

/// The numbers of processors that a job can request. Kubernetes counts thousandths.
inline constexpr double kMinCpu = 0.001;
inline constexpr double kMaxCpu = 100'000;

/// The largest number of tasks of a job.
inline constexpr std::uint32_t kMaxTasks = 100'000;

/// The largest number of attempts of a job.
inline constexpr std::uint32_t kMaxAttempts = 100;

bool IsLabel(std::string_view text);
bool IsJobName(std::string_view text);
bool IsFunction(std::string_view text);
bool IsNotEmpty(std::string_view text);
bool IsPythonVersion(std::string_view text);
bool IsBytes(std::string_view text);
bool IsDuration(std::string_view text);
bool IsCost(std::string_view text);
bool IsRetryCause(std::string_view text);
bool IsVariableName(std::string_view text);
bool IsSecretPattern(std::string_view text);
bool IsProfileName(std::string_view text);
bool IsDataSetName(std::string_view text);
bool IsTagValue(std::string_view text);
bool IsExtraName(std::string_view text);
bool IsImageName(std::string_view text);
bool IsAbsolutePath(std::string_view text);
bool IsPathInBundle(std::string_view text);

inline constexpr TextRule kLabel{kLabelPattern, IsLabel};
inline constexpr TextRule kJobName{"^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$", IsJobName};
inline constexpr TextRule kFunction{kFunctionPattern, IsFunction};
inline constexpr TextRule kNotEmpty{"^[^\\x00]+$", IsNotEmpty};
inline constexpr TextRule kPythonVersion{"^3\\.(9|[1-9][0-9])$", IsPythonVersion};
inline constexpr TextRule kBytes{R"(^([0-9]+\.?[0-9]*|\.[0-9]+))"
                                 "(k|K|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[kKmMgGtTpPeE][iI]?[bB])?$",
                                 IsBytes};
inline constexpr TextRule kDuration{"^(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ms|s|m|h|d))+$", IsDuration};
inline constexpr TextRule kCost{"^[0-9]+(\\.[0-9]+)? [A-Z]{3}$", IsCost};
inline constexpr TextRule kRetryCause{
    "^(preempted|infrastructure|exit:([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]))$", IsRetryCause};
inline constexpr TextRule kVariableName{"^[A-Za-z_][A-Za-z0-9_]*$", IsVariableName};
inline constexpr TextRule kSecretPattern{"^[A-Za-z_*?][A-Za-z0-9_*?]*$", IsSecretPattern};
inline constexpr TextRule kProfileName{"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$", IsProfileName};
inline constexpr TextRule kTagName = kProfileName;
inline constexpr TextRule kTagValue{R"(^[^\x00-\x1f\x7f]{1,63}$)", IsTagValue};
inline constexpr TextRule kExtraName{"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", IsExtraName};
inline constexpr TextRule kImageName{"^[A-Za-z0-9][A-Za-z0-9._/:@-]*$", IsImageName};
inline constexpr TextRule kAbsolutePath{"^/[^\\x00]*$", IsAbsolutePath};
/// Relative, without `..` as a part.
inline constexpr TextRule kPathInBundle{R"(^(?!/)(?!\.\.(/|$))(?![^\x00]*/\.\.(/|$))[^\x00]+$)",
                                        IsPathInBundle};

}  // namespace kinetic::jobspec
