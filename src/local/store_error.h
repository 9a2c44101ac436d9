#pragma once

#include "kinetic/error.h"

namespace kinetic::local {

/// Whether an error of a store is one that passes: its disk is full or fails, its folder is
/// read-only or not there, its server does not answer. Otherwise another try ends the same.
bool IsAway(const Error& error);

}  // namespace kinetic::local
