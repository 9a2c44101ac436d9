#pragma once

#include "jobspec/schema/shape.h"

namespace kinetic::jobspec {

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

bool IsLabel(std::string_view text);
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
bool IsExtraName(std::string_view text);
bool IsImageName(std::string_view text);
bool IsAbsolutePath(std::string_view text);

inline constexpr TextRule kLabel{kLabelPattern, IsLabel};
inline constexpr TextRule kFunction{kFunctionPattern, IsFunction};
inline constexpr TextRule kNotEmpty{"^[^\\x00]+$", IsNotEmpty};
inline constexpr TextRule kPythonVersion{"^3\\.(9|[1-9][0-9])$", IsPythonVersion};
inline constexpr TextRule kBytes{"^([0-9]+\\.?[0-9]*|\\.[0-9]+)(k|K|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$",
                                 IsBytes};
inline constexpr TextRule kDuration{"^(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ms|s|m|h|d))+$", IsDuration};
inline constexpr TextRule kCost{"^[0-9]+(\\.[0-9]+)? [A-Z]{3}$", IsCost};
inline constexpr TextRule kRetryCause{
    "^(preempted|infrastructure|exit:([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]))$", IsRetryCause};
inline constexpr TextRule kVariableName{"^[A-Za-z_][A-Za-z0-9_]*$", IsVariableName};
inline constexpr TextRule kSecretPattern{"^[A-Za-z_*?][A-Za-z0-9_*?]*$", IsSecretPattern};
inline constexpr TextRule kProfileName{"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$", IsProfileName};
inline constexpr TextRule kExtraName{"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", IsExtraName};
inline constexpr TextRule kImageName{"^[A-Za-z0-9][A-Za-z0-9._/:@-]*$", IsImageName};
inline constexpr TextRule kAbsolutePath{"^/[^\\x00]*$", IsAbsolutePath};

}  // namespace kinetic::jobspec
