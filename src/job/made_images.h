#pragma once

#include "base/digest.h"
#include "env/environment_builder.h"
#include "env/image_naming.h"
#include "job/context.h"
#include "job/known_environments.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// "registry/name:tag" in full of "registry/name:tag@sha256:…", however it is written; empty: it is
/// no image with a tag.
std::string NameOfMadeImage(std::string_view image);

/// Notes in the store, before `builder` makes an image, that this store has it made, so that
/// garbage collection knows whose it is. Of one that is there already nothing is noted: somebody
/// else may have made it.
///
/// @param context  outlives the builder.
std::unique_ptr<env::EnvironmentBuilder> NoteMadeImages(
    const Context& context, env::ImageNaming naming,
    std::unique_ptr<env::EnvironmentBuilder> builder);

/// Notes that this store has the image "registry/name:tag…" made, before it is.
Status NoteMadeImage(const Context& context, std::string_view image, const Digest& key,
                     std::stop_token stop);

/// Whether the store is to be told again that an image is used: often enough that it does not go,
/// and not with each job.
bool WantsNote(const Context& context, const KnownEnvironment& known);

/// Notes that a job uses an image. A store that cannot be written to keeps no job from it: the
/// image may go earlier then, and is made again.
///
/// @errors  kCancelled.
Status NoteUseOfImage(const Context& context, std::string_view image, std::stop_token stop);

}  // namespace kinetic::job
