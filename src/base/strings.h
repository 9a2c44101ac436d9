#pragma once

#include "kinetic/printable.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// Returns `text` without leading and trailing white space.
std::string_view Trim(std::string_view text);

/// Splits at each `separator` and keeps empty pieces. The pieces are views into `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);

std::string Join(std::span<const std::string> pieces, std::string_view separator);

/// Converts ASCII letters to lower case.
std::string ToLower(std::string_view text);

/// Parses the whole of `text` as a decimal integer, or returns nullopt.
std::optional<std::int64_t> ParseInt(std::string_view text);

/// Returns whether `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsUtf8(std::string_view text);

/// Returns the candidate with the smallest edit distance to `text`, or nullopt if none is close
/// enough to be a typing mistake.
std::optional<std::string> Nearest(std::string_view text, std::span<const std::string> candidates);

/// Matches `name` against a pattern of `*` and `?`, such as `WANDB_*`.
bool MatchesWildcard(std::string_view name, std::string_view pattern);

/// Quotes `word` as one word of a POSIX shell command line.
std::string ShellQuote(std::string_view word);

/// Encodes bytes as lower-case hexadecimal digits.
std::string ToHex(std::string_view bytes);

/// Encodes with padding.
///
/// @source RFC 4648, section 4
std::string Base64Encode(std::string_view bytes);

/// Decodes padded base64, or returns nullopt. White space is not accepted.
std::optional<std::string> Base64Decode(std::string_view text);

/// Encodes with the alphabet for URLs and tokens, without padding.
///
/// @source RFC 4648, section 5
std::string Base64UrlEncode(std::string_view bytes);

/// Parses a Kubernetes quantity of bytes, such as "32Gi", "500M", "1.5Gi" or "1024", also with "B" and
/// then in any case, such as "8GB" or "8gib". Returns nullopt for others.
///
/// @source https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
std::optional<std::uint64_t> ParseBytes(std::string_view text);

/// The longest duration that ParseDuration accepts. Added to any time of this century it fits into
/// 64 bits of nanoseconds.
inline constexpr std::chrono::milliseconds kMaxDuration = std::chrono::days(36'500);

/// Parses a duration of numbers with units (ms, s, m, h, d), such as "30m", "1h30m" or "1.5h".
/// Returns nullopt for others and for those above kMaxDuration.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// Formats a size for display: "1.5 GiB", "12 KiB", "17 B".
std::string FormatBytes(std::uint64_t bytes);

/// Formats a number of files and their total size for display: "1 file, 17 B".
std::string FormatFiles(std::uint64_t files, std::uint64_t bytes);

/// Formats a duration for display: "850 ms", "4.2 s", "3m 20s", "2h 5m", "3d 4h".
std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace kinetic
