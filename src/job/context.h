#pragma once

#include "kinetic/client.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "cloud/connector.h"
#include "job/background.h"
#include "job/settling.h"
#include "store/store.h"
#include "target/target.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// What works on jobs of one target: the store, that target, and what the caller said.
///
/// @threads  safe to use concurrently.
struct Context {
  ClientOptions options;
  FileSystem& fs;
  Clock& clock;
  std::shared_ptr<cloud::Connector> cloud;  ///< opened by whoever first needs a server
  std::shared_ptr<store::Store> store;
  std::shared_ptr<target::Target> target;
  /// Of jobs whose own cluster cannot be opened: why. `target` is the client's, for want of theirs.
  std::optional<Error> elsewhere = {};
  Background background = {};  ///< ends before what it uses
  Settling settling = {};

  /// Says something to the caller's log, if there is one.
  void Log(LogLevel level, std::string_view message) const;
};

/// What a client with these options opens servers with.
cloud::Seams SeamsOf(const ClientOptions& options, FileSystem& fs, Clock& clock);

/// Opens the store and the target that `options` name.
Result<std::shared_ptr<Context>> OpenContext(ClientOptions options, std::stop_token stop);

}  // namespace kinetic::job
