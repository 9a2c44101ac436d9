#pragma once

#include "kinetic/observer.h"

#include "job/context.h"
#include "target/target.h"

#include <stop_token>
#include <string>

namespace kinetic::job {

/// What the image below a job's packages is now: "sha256:…", of the manifest or the index that its
/// name leads to. A registry has five seconds to answer. Empty: it cannot be told, as with an image
/// that only the nodes have; nodes go by the name then.
///
/// @param observer  told when it cannot; may be null.
std::string FindBaseDigest(const Context& context, const target::BaseImage& base,
                           Observer* observer, const std::stop_token& stop);

/// The image below by its digest, "python:3.12-slim@sha256:…"; as it is named where that is empty.
std::string PinnedBase(const target::BaseImage& base, const std::string& digest);

}  // namespace kinetic::job
