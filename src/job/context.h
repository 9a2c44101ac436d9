#pragma once

#include "kinetic/client.h"

#include "backend/target.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "connect/lazy_connection.h"
#include "job/background.h"
#include "job/lifecycle/reconciler.h"
#include "store/object_store.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// The store, the target and the client options that operations on jobs use.
///
/// @threads  safe to use concurrently.
struct Context {
  ClientOptions options;
  FileSystem& fs;
  Clock& clock;
  std::shared_ptr<connect::Connector> cloud;  ///< opened on first use
  std::shared_ptr<store::Store> store;
  std::shared_ptr<backend::Target> target;
  /// If the job's own cluster cannot be opened: the reason. `target` is then the client's own
  /// target.
  std::optional<Error> elsewhere = {};
  Background background = {};  ///< ends before the members that it uses
  Settling settling = {};

  /// Whether jobs are on a cluster, and not on this machine.
  bool IsOnCluster() const { return target->cluster_api() != nullptr; }

  /// Writes a message to the client's log, if it has one.
  void Log(LogLevel level, std::string_view message) const;
};

/// Returns the dependencies for opening connections with these options.
connect::Seams SeamsOf(const ClientOptions& options, FileSystem& fs, Clock& clock);

/// Opens the store and the target that `options` specify.
Result<std::shared_ptr<Context>> OpenContext(ClientOptions options, std::stop_token stop);

}  // namespace kinetic::job
