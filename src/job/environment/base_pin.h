#pragma once

#include "kinetic/observer.h"

#include "backend/capabilities.h"
#include "job/context.h"

#include <stop_token>
#include <string>

namespace kinetic::job {

/// Returns the current digest of the base image, "sha256:…", of its manifest or index. The request
/// times out after five seconds. Returns an empty string if the digest is unavailable, for example
/// for an image that exists only on the nodes. Nodes then use the image by its name.
///
/// @param observer  notified if the digest is unavailable; may be null.
std::string FindBaseDigest(const Context& context, const backend::BaseImage& base,
                           Observer* observer, const std::stop_token& stop);

/// Returns the base image with its digest, "python:3.12-slim@sha256:…". Returns the unchanged name
/// if `digest` is empty.
std::string PinnedBase(const backend::BaseImage& base, const std::string& digest);

}  // namespace kinetic::job
