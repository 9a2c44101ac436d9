#pragma once

#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::store {

/// Adds a store to the lifecycle rules of its bucket. All stores of a bucket share one rule for packs
/// and trees and one for parts; rules that earlier versions added for each store are merged. Keeps
/// the order and content of other rules.
///
/// @param prefix  of the store, ending in '/'.
std::vector<Value> MergeLifecycleRules(const std::vector<Value>& rules, const std::string& prefix);

}  // namespace kinetic::store
