#pragma once

#include <string>
#include <vector>

namespace kinetic::cli {

/// Returns a line of comma-separated values, without a line feed. Cells are quoted as in RFC 4180.
std::string CsvLine(const std::vector<std::string>& cells);

}  // namespace kinetic::cli
