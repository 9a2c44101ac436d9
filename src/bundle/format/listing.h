#pragma once

#include "kinetic/bundle.h"

#include "bundle/source/walked_tree.h"

namespace kinetic::bundle {

/// What would travel, in the words of the public API.
BundleListing ToListing(const SourceTree& tree);

}  // namespace kinetic::bundle
