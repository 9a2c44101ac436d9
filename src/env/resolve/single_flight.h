#pragma once

#include "base/time/clock.h"
#include "env/environment_builder.h"
#include "env/image/naming.h"
#include "store/advisory_lease.h"
#include "store/object_store.h"

#include <memory>

namespace kinetic::env {

struct OneMakerOptions {
  ImageNaming naming;
  store::Store& store;  ///< which the clients share; it and the clock outlive the maker
  Clock& clock;
  store::AdvisoryLease::Client self;  ///< without on_wait
};

/// Lets one client at a time make the image of a lock with `builder`: others that want the same
/// wait (store::AdvisoryLease), and find it then. Finding is left to `builder` alone, and asks nobody else.
///
/// @errors  those of `builder` and, of Ensure, store::AdvisoryLease::Acquire.
std::unique_ptr<EnvironmentBuilder> MakeOneMaker(std::unique_ptr<EnvironmentBuilder> builder,
                                                 OneMakerOptions options);

}  // namespace kinetic::env
