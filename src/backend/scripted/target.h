#pragma once

#include "kinetic/testing.h"

#include "backend/target.h"
#include "base/time/clock.h"
#include "store/object_store.h"

#include <memory>

namespace kinetic::backend {

/// Simulates jobs: a script decides what each job writes and how it ends. No process is started.
/// The results are stored as the runner stores them.
///
/// @param script  called by Target::Start, which returns its errors.
/// @param clock   must outlive the target.
std::unique_ptr<Target> MakeScriptedTarget(JobScript script, std::shared_ptr<store::Store> store,
                                           Clock& clock);

}  // namespace kinetic::backend
