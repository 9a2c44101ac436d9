#pragma once

#include "kinetic/result.h"

#include "base/digest.h"
#include "bundle/unpack.h"
#include "runner/fetch_board.h"
#include "store/store.h"

#include <stop_token>

namespace kinetic::runner {

/// Unpacks a tree, shows how much of it has come, and asks a store that is far for many parts at
/// once.
///
/// @errors  those of bundle::Unpack.
Result<bundle::UnpackReport> FetchTree(store::Store& store, const bundle::Destination& destination,
                                       const Digest& tree, FetchBoard::Fetch& shown,
                                       std::stop_token stop);

}  // namespace kinetic::runner
