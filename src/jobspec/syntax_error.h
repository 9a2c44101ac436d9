#pragma once

#include "kinetic/error.h"

#include "jobspec/diagnostics.h"

#include <string_view>

namespace kinetic::jobspec {

/// Reports a syntax error of the YAML parser with a fix, at its cause: a tab in the indentation is
/// reported instead of the error that it led to.
void AddSyntaxError(const Error& error, std::string_view text, Diagnostics& diagnostics);

}  // namespace kinetic::jobspec
