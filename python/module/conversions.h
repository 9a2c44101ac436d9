#pragma once

#include "kinetic/value.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>

namespace kinetic::python {

/// Returns a Value of JSON-like data: None, bool, int, float, str, list and dict with keys of type str.
/// The content of a tagged form (`$bytes`, `$npy`) is an object with the buffer protocol, or a tuple of
/// two, which are joined. Needs the GIL.
///
/// @throws  TypeError: another type · OverflowError: an int above 64 bits · BufferError.
Value ToValue(nanobind::handle object);

/// Returns the data. The content of `$bytes` becomes bytes, and that of `$npy` a bytearray.
nanobind::object ToPython(const Value& value);

/// Returns the time when a wait of `seconds` ends; None: never.
std::optional<std::chrono::steady_clock::time_point> DeadlineAfter(std::optional<double> seconds);

/// Returns the seconds since 1970, or None.
nanobind::object ToSeconds(const std::optional<std::chrono::system_clock::time_point>& time);

}  // namespace kinetic::python
