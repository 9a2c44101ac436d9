#include "settings/system_cause.h"

#include <system_error>

namespace kinetic::settings {

std::string SystemCause(int error_number) {
  std::string cause = std::generic_category().message(error_number);
  if (!cause.empty() && cause[0] >= 'A' && cause[0] <= 'Z') cause[0] += 'a' - 'A';
  return cause;
}

}  // namespace kinetic::settings
