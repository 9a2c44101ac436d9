#include "kinetic/version.h"

namespace kinetic::inline v0 {

std::string_view Version() { return KINETIC_VERSION; }

}  // namespace kinetic::inline v0
