#pragma once

#include "kinetic/log.h"

#include "base/files/file_system.h"
#include "gcs/client.h"
#include "store/object_store.h"

#include <functional>
#include <memory>
#include <string_view>

namespace kinetic::store {

/// Opens an authenticated connection to Google's servers.
using Connect = std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)>;

/// How stores are accessed. `fs` and `clock` must outlive the stores.
struct Access {
  FileSystem& fs;
  Clock& clock;
  Connect connect = {};  ///< called for buckets only; empty: buckets are rejected
  gcs::ClientOptions gcs = {};
  LogSink* log = nullptr;  ///< receives warnings; may be null
};

/// Opens the store at `location` (an absolute folder path, or gs://bucket/folder) and checks
/// format.json. Creates the store if the location is empty, and a bucket store's lifecycle rules if
/// the account is allowed to. Buckets are not created.
///
/// @errors  kFailedPrecondition (a newer format; the message names both) · kInvalidArgument (an
///          invalid location, or one with other contents) · kNotFound (the bucket) · those of Store
///          and of Access::connect.
Result<std::unique_ptr<Store>> Open(std::string_view location, const Access& access,
                                    std::stop_token stop);

/// Opens a store that another process has just opened: a bucket without checking format.json, a
/// folder like Open.
Result<std::unique_ptr<Store>> OpenChecked(std::string_view location, const Access& access,
                                           std::stop_token stop);

/// Opens a store that this process has opened before. Checks and creates nothing, because the disk
/// of a folder may be unmounted at the moment.
///
/// @errors  of the location and of Access::connect.
Result<std::unique_ptr<Store>> Reopen(std::string_view location, const Access& access,
                                      std::stop_token stop);

/// Opens a store like Open, but checks a bucket's format.json in the background: LazyStore. If the
/// check fails, the first calls on the store return the error that Open would have returned. A
/// store is created when its first object is stored: in a folder by UncreatedStore.
///
/// @errors  for a bucket: of the location and of Access::connect; for a folder: those of Open.
Result<std::unique_ptr<Store>> OpenLazy(std::string_view location, const Access& access,
                                        std::stop_token stop);

}  // namespace kinetic::store
