#pragma once

#include "kinetic/result.h"

#include "job/gc/collection.h"

#include <array>
#include <chrono>
#include <string_view>

namespace kinetic::job {

/// Objects that are removed individually after a time without use.
struct UnusedClass {
  std::string_view name;
  std::array<std::string_view, 2> prefixes;  ///< empty ones are unused
  std::chrono::hours retention;
  bool may_be_active = false;  ///< a running build may need them; GarbageOptions::all keeps them
};

extern const std::array<UnusedClass, 5> kUnused;

/// Removes old outputs of jobs that do not exist.
Status CollectOutputs(Collection& gc);

/// Removes locks that no kept job names.
Status CollectLocks(Collection& gc);

/// Removes shared arrays that no kept job needs.
Status CollectArrays(Collection& gc);

/// Removes the objects of kUnused.
Status CollectUnused(Collection& gc);

/// Removes leftovers of killed `kinetic cp` clients.
Status CollectCopies(Collection& gc);

/// Removes images that no kept job needs.
Status CollectImages(Collection& gc);

}  // namespace kinetic::job
