#include "kinetic/version.h"

namespace kinetic {

std::string_view Version() { return KINETIC_VERSION; }

}  // namespace kinetic
