#pragma once

#include "kinetic/observer.h"

#include "env/environment_builder.h"
#include "env/image/stored_image.h"
#include "job/context.h"
#include "job/environment/job_environment.h"

#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// Returns the builder for the environments of a client's jobs. Local jobs use a folder on this
/// machine. Cluster jobs use archives in the store or images, as the profile specifies. The context
/// and the observer must outlive the builder.
///
/// @param observer  warned if the profile allows both forms and the registry is unreachable; may be
///          null.
std::unique_ptr<env::EnvironmentBuilder> BuilderFor(const Context& context,
                                                    const JobEnvironment& environment,
                                                    Observer* observer);

/// Returns the builder of environment folders on this machine.
///
/// @param private_urls  of the index, and of files of the project.
std::unique_ptr<env::EnvironmentBuilder> VirtualenvBuilderFor(const Context& context,
                                                              const env::Lock& lock,
                                                              env::PrivateUrls private_urls);

/// Returns the builder that stores environments as archives, whatever the profile specifies.
std::unique_ptr<env::EnvironmentBuilder> ArchivesBuilderFor(const Context& context,
                                                            const JobEnvironment& environment);

/// Returns the builder that creates images in the profile's environment_images, whatever form the
/// profile specifies for jobs.
std::unique_ptr<env::EnvironmentBuilder> ImageBuilderFor(const Context& context,
                                                         const JobEnvironment& environment);

/// Returns the base image and the naming of environment images, as the profile specifies.
env::ImageNaming NamingOf(const Context& context, const JobEnvironment& environment);

/// Returns whether a missing environment is built as an image.
bool BuildsImages(const Context& context);

/// Returns whether the profile allows both forms and specifies a repository for images.
bool MayBuildImages(const Context& context);

/// Returns whether a registry has an image.
///
/// @param image  "registry/name:tag@sha256:…"
Result<bool> HasImage(const Context& context, const std::string& image, std::stop_token stop);

}  // namespace kinetic::job
