#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// A Kubernetes quantity of bytes: "32Gi", "500M", "1.5Gi", "1024"; or nothing.
///
/// @source https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
std::optional<std::uint64_t> ParseBytes(std::string_view text);

/// A duration: one or more of number and unit (ms, s, m, h, d), as in "30m", "1h30m", "1.5h"; or
/// nothing.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// "1.5 GiB", "12 KiB", "17 B": for people.
std::string FormatBytes(std::uint64_t bytes);

/// "850 ms", "4.2 s", "3m 20s", "2h 5m", "3d 4h": for people.
std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace kinetic
