#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::env {

/// The first line of a Python script in an environment at `prefix`: "#!/x/bin/python".
std::string FirstLine(std::string_view prefix);

/// A script with that first line in place of its own, if its own names a Python by its path (or is
/// the placeholder `#!python`); options after it are dropped, as installers drop them. Nothing: it
/// is another program, or asks `env` for its Python. Where the path was too long for a first line,
/// installers write three that a shell and Python both understand: all of them go.
std::optional<std::string> WithFirstLine(std::string_view script, std::string_view first_line);

}  // namespace kinetic::env
