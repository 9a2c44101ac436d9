#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {

/// Returns whether a reference is the digest of stored content: "sha256:" and 64 hex digits, or
/// only the digits. Any other reference is a path.
bool IsDigest(std::string_view reference);

/// Returns the part of a value at a path such as "metrics.w" or "history[-1].loss", also in tuples,
/// named tuples and dataclasses. A leading "$", as in error messages, is optional.
///
/// @errors  kNotFound: no such part; the hint names the parts that exist · kInvalidArgument.
Result<const Value*> FindPart(const Value& value, std::string_view path);

/// Returns a value for people: tuples as lists, and stored content without a "sha256" that only
/// repeats its "$ref".
Value Displayed(const Value& value);

/// Returns the arrays of a value with their paths: "metrics.w", "history[3].w"; "" for the value
/// itself.
std::vector<std::pair<std::string, const Value*>> ArraysOf(const Value& value);

}  // namespace kinetic::cli
