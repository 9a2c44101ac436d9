#pragma once

#include "kinetic/export.h"

#include <string>
#include <string_view>

namespace kinetic::inline v0 {

/// Escapes what could control a terminal or forge a line in text from a job, a server or a file:
/// control characters below U+0080 and bytes that are not UTF-8 as `\xNN`; C1 controls, line
/// separators and bidirectional overrides as `\uNNNN`.
KINETIC_EXPORT std::string Printable(std::string_view text);

/// Same, but keeps newlines and tabs, for text of several lines.
KINETIC_EXPORT std::string PrintableLines(std::string_view text);

}  // namespace kinetic::inline v0
