#pragma once

#include "kinetic/error.h"

#include "spec/diagnostics.h"

#include <string_view>

namespace kinetic::spec {

/// Reports a syntax error of the YAML parser in words that say what to do, at the place that is
/// wrong: a tab in the indentation is named before what it led to.
void AddSyntaxError(const Error& error, std::string_view text, Diagnostics& diagnostics);

}  // namespace kinetic::spec
