#pragma once

#include "kinetic/result.h"

#include "job/gc/collection.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Returns the advice to remove the job of a damaged object, or nullopt for other objects.
///
/// @param text  begins with the object's name.
std::optional<std::string> RemovalOf(std::string_view text);

/// Removes damaged index entries without a job. With `verify`, replaces those of jobs.
Status CollectDamagedEntries(Collection& gc);

/// Reports the objects that the store cannot read. With `verify`, removes them, except those of
/// jobs.
Status CollectDamaged(Collection& gc);

/// Returns the error for references that cannot be read.
Failure HiddenReferences(const Collection& gc);

}  // namespace kinetic::job
