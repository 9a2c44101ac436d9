#pragma once

#include "kinetic/client.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "env/environment_builder.h"
#include "env/image/stored_image.h"
#include "job/context.h"
#include "job/environment/recent.h"

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Returns the fully qualified "registry/name:tag" of "registry/name:tag@sha256:…". Returns an
/// empty string if `image` is not an image with a tag.
std::string TaggedName(std::string_view image);

/// Wraps `builder` so that it records each image in the store before the image is built. Garbage
/// collection uses the records to find the images of this store. An image that already exists is
/// not recorded, because another client may have built it.
///
/// @param context  must outlive the builder.
std::unique_ptr<env::EnvironmentBuilder> RecordBuiltImages(
    const Context& context, env::ImageNaming naming,
    std::unique_ptr<env::EnvironmentBuilder> builder);

/// Records, before the build, that this store builds the image "registry/name:tag…".
Status RecordImage(const Context& context, std::string_view image, const Digest& key,
                   std::stop_token stop);

/// Returns whether the use of an image must be recorded again: often enough to keep the image, but
/// not for each job.
bool NeedsUseRecord(const Context& context, const RecentEnvironment& known);

/// Records that a job uses an image. Write errors do not fail the job: the image may then be
/// removed earlier, and is built again when it is needed.
///
/// @errors  kCancelled.
Status RecordImageUse(const Context& context, std::string_view image, std::stop_token stop);

struct ImageCollection {
  const std::set<std::string>& referenced;  ///< by kept jobs, as TaggedName returns them
  WallTime now;                             ///< by the store's clock
  bool dry_run = false;
};

/// Removes unused package images from the profile's repository: images that this store built, that
/// no kept job names and that were not used recently. Images of other stores are not touched. If a
/// registry is unreachable or does not support deletion, reports a warning.
///
/// @errors  errors of the store · kCancelled.
Status CollectImages(const Context& context, const ImageCollection& collection,
                     GarbageReport& report, std::stop_token stop);

}  // namespace kinetic::job
