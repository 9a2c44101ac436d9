#pragma once

#include "settings/resolved.h"

namespace kinetic::cli {

using namespace settings;

}  // namespace kinetic::cli
