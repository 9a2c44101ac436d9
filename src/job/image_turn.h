#pragma once

#include "store/turn.h"

namespace kinetic::job {

/// This client, as one who takes turns with others at making an image. Of those on this machine it
/// knows whether they still run.
store::Turn::Party PartyOfThisClient();

}  // namespace kinetic::job
