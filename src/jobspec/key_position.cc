#include "jobspec/key_position.h"

namespace kinetic::jobspec {

std::string KeyPosition(const JobSpec& spec, std::string_view key) {
  const auto position = spec.positions.find(std::string(key));
  return position == spec.positions.end() ? "" : position->second.ToString() + ": ";
}

Error WithKeyPosition(const JobSpec& spec, std::string_view key, Error error) {
  if (error.message.starts_with(std::string(key) + ": ")) {
    error.message.insert(0, KeyPosition(spec, key));
  }
  return error;
}

}  // namespace kinetic::jobspec
