#include "kinetic/job_spec.h"

namespace kinetic::inline v0 {

std::string SourcePosition::ToString() const {
  if (line == 0) return file;
  const std::string place = file + ":" + std::to_string(line);
  return column == 0 ? place : place + ":" + std::to_string(column);
}

}  // namespace kinetic::inline v0
