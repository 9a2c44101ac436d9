#pragma once

#include <string>
#include <string_view>

namespace kinetic {

/// Returns the differences of two texts as a unified diff with three lines of context: "@@ -1,2
/// +1,3 @@" and lines that begin with ' ', '-' or '+'. Returns an empty text if they are equal. A
/// last line without a newline is followed by "\ No newline at end of file".
std::string UnifiedDiff(std::string_view before, std::string_view now);

}  // namespace kinetic
