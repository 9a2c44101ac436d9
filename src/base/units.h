#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// Parses a Kubernetes quantity of bytes, such as "32Gi", "500M", "1.5Gi" or "1024", or returns
/// nullopt.
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

/// Formats a duration for display: "850 ms", "4.2 s", "3m 20s", "2h 5m", "3d 4h".
std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace kinetic
