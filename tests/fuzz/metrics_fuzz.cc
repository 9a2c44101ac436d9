#include "kinetic/metrics.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>

/// Checks that a line is no row of metrics, or that its row is the same when it is written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto row = kinetic::ParseMetrics({reinterpret_cast<const char*>(data), size});
  if (!row) return 0;
  if (row->empty() || row->size() > kinetic::kMaxMetrics) std::abort();
  const auto line = kinetic::FormatMetrics(*row);
  if (!line) std::abort();
  const auto again = kinetic::ParseMetrics(*line);
  if (!again || again->size() != row->size()) std::abort();
  for (std::size_t i = 0; i < row->size(); ++i) {
    const auto& [name, number] = (*row)[i];
    const bool is_equal =
        (*again)[i].second == number || (std::isnan((*again)[i].second) && std::isnan(number));
    if ((*again)[i].first != name || !is_equal) std::abort();
  }
  return 0;
}
