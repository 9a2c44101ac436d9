#pragma once

#include "kinetic/client.h"

#include "backend/target.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "connect/connection.h"
#include "connect/lazy_connection.h"
#include "env/tool_options.h"
#include "job/background.h"
#include "job/known_nonces.h"
#include "job/lifecycle/completions.h"
#include "job/lifecycle/reconcile.h"
#include "job/lifecycle/silence.h"
#include "store/object_store.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::inline v0 {
struct FakeCall;  // kinetic/testing.h
}

namespace kinetic::job {

/// The store, the target and the client options that operations on jobs use.
///
/// @threads  safe to use concurrently.
struct Context {
  ClientOptions options;
  FileSystem& fs;
  Clock& clock;
  std::shared_ptr<connect::LazyConnection> cloud;  ///< opened on first use
  std::shared_ptr<store::Store> store;
  std::shared_ptr<backend::Target> target;
  /// If the job's own cluster cannot be opened: the reason. `target` is then the client's own
  /// target.
  std::optional<Error> cluster_error = {};
  KnownNonces nonces = {};
  Background background = {};  ///< ends before the members that it uses
  Reconciler reconciler = {};
  Silence silence = {};
  Completions completions = {};
  /// FakeOptions::on_call.
  std::function<Status(const FakeCall& call)> on_call = {};

  /// Returns the error with which a test makes this call of a public function fail.
  Status Call(std::string_view function, std::string_view job = {}) const;

  /// Writes a message to the client's log, if it has one.
  void Log(LogLevel level, std::string_view message) const;
};

/// Returns the dependencies for opening connections with these options.
connect::Dependencies DependenciesFor(const ClientOptions& options, FileSystem& fs, Clock& clock);

/// Opens the store and the target that `options` specify.
Result<std::shared_ptr<Context>> OpenContext(ClientOptions options, std::stop_token stop,
                                             FileSystem& fs = PosixFileSystem());

/// Opens the target that the profile of `options` names. Sends no request to a cluster.
///
/// @param store  must outlive the target.
/// @param identity  the cluster identity from a job's record; empty: the profile's current cluster.
/// @errors  kInvalidArgument (a cluster with a store that no pod can reach) · errors of
///          connect::OpenCluster.
Result<std::unique_ptr<backend::Target>> OpenTarget(const ClientOptions& options,
                                                    const connect::Dependencies& dependencies,
                                                    store::Store& store, std::string_view identity,
                                                    std::stop_token stop);

/// Makes clients of contexts that are not opened by Client::Open.
class ClientFactory {
 public:
  static Client Make(std::shared_ptr<Context> context);
};

/// Returns the options with which a client runs Python, uv and pip.
inline env::ToolOptions ToolOptionsOf(const Context& context) {
  return {.cache_dir = context.options.cache_dir,
          .search_path = context.options.search_path,
          .environment = context.options.environment,
          .fs = &context.fs,
          .clock = &context.clock};
}

}  // namespace kinetic::job
