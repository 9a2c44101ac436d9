#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// `text` without white space at both ends.
std::string_view Trim(std::string_view text);

/// The pieces between `separator`s, empty ones too; a view into `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);

std::string Join(std::span<const std::string> pieces, std::string_view separator);

std::string ToLower(std::string_view text);

/// The whole of `text` as a decimal integer, or nothing.
std::optional<std::int64_t> ParseInt(std::string_view text);

/// Whether `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsUtf8(std::string_view text);

/// `text` fit for a terminal: control characters and bytes that are not UTF-8 written as \xNN.
std::string Printable(std::string_view text);

/// The candidate nearest to `text` by edit distance, if one is near enough to be a slip of the
/// finger.
std::optional<std::string> Nearest(std::string_view text, std::span<const std::string> candidates);

/// Whether `name` matches a pattern of `*` and `?`, as in `WANDB_*`.
bool MatchesWildcard(std::string_view name, std::string_view pattern);

/// `word` as one word of a POSIX shell command line.
std::string ShellQuote(std::string_view word);

}  // namespace kinetic
