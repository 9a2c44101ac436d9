#include "kinetic/job_spec.h"

namespace kinetic::inline v0 {

std::string SourcePosition::ToString() const {
  if (line == 0) return file;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace kinetic::inline v0
