#pragma once

#include "kinetic/client.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "cloud/connector.h"
#include "job/background.h"
#include "store/store.h"
#include "target/target.h"

#include <memory>
#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// What a client and its jobs share: the store, the target, and what the caller said.
///
/// @threads  safe to use concurrently.
struct Context {
  ClientOptions options;
  FileSystem& fs;
  Clock& clock;
  std::unique_ptr<cloud::Connector> cloud;  ///< opened by whoever first needs a server
  std::unique_ptr<store::Store> store;
  std::unique_ptr<target::Target> target;
  Background background;  ///< ends before what it uses

  /// Says something to the caller's log, if there is one.
  void Log(LogLevel level, std::string_view message) const;
};

/// Opens the store and the target that `options` name.
Result<std::shared_ptr<Context>> OpenContext(ClientOptions options, std::stop_token stop);

}  // namespace kinetic::job
