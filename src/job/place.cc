#include "job/place.h"

namespace kinetic::job {

std::string PlaceOf(const JobSpec& spec, std::string_view key) {
  const auto position = spec.positions.find(std::string(key));
  return position == spec.positions.end() ? "" : position->second.ToString() + ": ";
}

}  // namespace kinetic::job
