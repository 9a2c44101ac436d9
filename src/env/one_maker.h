#pragma once

#include "base/clock.h"
#include "env/environment_builder.h"
#include "env/image_naming.h"
#include "store/store.h"
#include "store/turn.h"

#include <memory>

namespace kinetic::env {

struct OneMakerOptions {
  ImageNaming naming;
  store::Store& store;  ///< which the clients share; it and the clock outlive the maker
  Clock& clock;
  store::Turn::Party self;  ///< without on_wait
};

/// Lets one client at a time make the image of a lock with `builder`: others that want the same
/// wait (store::Turn), and find it then. Finding is left to `builder` alone, and asks nobody else.
///
/// @errors  those of `builder` and, of Ensure, store::Turn::Take.
std::unique_ptr<EnvironmentBuilder> MakeOneMaker(std::unique_ptr<EnvironmentBuilder> builder,
                                                 OneMakerOptions options);

}  // namespace kinetic::env
