#pragma once

#include "kinetic/log.h"

#include "base/file_system.h"
#include "gcs/client.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <string_view>

namespace kinetic::store {

/// Reaches Google's servers, showing a credential.
using Connect = std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)>;

/// What stores are reached with; `fs` and `clock` outlive them.
struct Access {
  FileSystem& fs;
  Clock& clock;
  Connect connect = {};  ///< called only for a location in a bucket; empty: there are none
  gcs::ClientOptions gcs = {};
  LogSink* log = nullptr;  ///< told what went wrong and does no harm; may be null
};

/// Opens the store at `location` (an absolute folder path, or gs://bucket/folder), making it when
/// it is absent, and checks format.json. Buckets are not made; one that becomes a store is given
/// its lifecycle rule, if the account may do that.
///
/// @errors  kFailedPrecondition (a newer format; the message names both) · kInvalidArgument (not a
///          location, or one that holds something else) · kNotFound (the bucket) · those of Store
///          and of Access::connect.
Result<std::unique_ptr<Store>> Open(std::string_view location, const Access& access,
                                    std::stop_token stop);

/// As Open, but returns while a bucket is still being looked at; the store's first calls wait for
/// that where they must, and fail with what Open would have said: OpeningStore.
///
/// @errors  of the location and of Access::connect; of a folder, as Open.
Result<std::unique_ptr<Store>> OpenAhead(std::string_view location, const Access& access,
                                         std::stop_token stop);

}  // namespace kinetic::store
