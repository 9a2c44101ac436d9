#pragma once

#include "kinetic/observer.h"

#include "env/environment_builder.h"
#include "env/image_naming.h"
#include "env/uplink.h"
#include "job/context.h"
#include "job/environment.h"

#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// What makes the environments of a client's jobs: a folder of this machine for those that run
/// here; for those on a cluster what the profile wants, archives in the store or images.
///
/// @param observer  warned when a registry cannot be asked and the profile leaves the choice; may
/// be
///                  null. It and the context outlive the builder.
std::unique_ptr<env::EnvironmentBuilder> BuilderFor(const Context& context,
                                                    const JobEnvironment& environment,
                                                    Observer* observer);

/// What keeps them in the store, whatever the profile wants.
///
/// @param uplink  how long that may take; null: however long it takes.
std::unique_ptr<env::EnvironmentBuilder> ArchivesBuilderFor(
    const Context& context, const JobEnvironment& environment,
    std::shared_ptr<env::Uplink> uplink = nullptr);

/// What makes images of them where the profile keeps such, whatever it wants for jobs: kinetic
/// itself, or whom the profile names for it.
std::unique_ptr<env::EnvironmentBuilder> ImageBuilderFor(const Context& context,
                                                         const JobEnvironment& environment);

/// What images of environments are made upon and called, as the profile says.
env::ImageNaming NamingOf(const Context& context, const JobEnvironment& environment);

/// Whether an environment that is not there becomes an image.
bool MakesImages(const Context& context);

/// Whether the profile leaves the choice, and says where images go.
bool MayMakeImages(const Context& context);

/// Whether a registry has an image.
///
/// @param image  "registry/name:tag@sha256:…"
Result<bool> HasImage(const Context& context, const std::string& image, std::stop_token stop);

}  // namespace kinetic::job
