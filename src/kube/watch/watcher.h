#pragma once

#include "kube/options.h"
#include "kube/sender.h"
#include "kube/watch/event.h"
#include "kube/watch/known_objects.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::kube {

/// One Client::Watch.
///
/// @threads  one thread at a time.
class Watcher {
 public:
  /// What is watched.
  struct Collection {
    http::Url url;
    Query query;
  };

  /// What it refers to outlives it.
  Watcher(const Sender& sender, const Operation& operation, Collection collection,
          const EventSink& each, const WatchOptions& options, std::stop_token stop);

  /// @returns  never but with an error; see Client::Watch.
  Status Run();

 private:
  /// Brings what is known up to date, and sets the version to watch from.
  Status Relist();
  /// One connection, until it ends; what it told counts however it ended.
  ///
  /// @errors  why it did not begin, or could not go on.
  Status Follow();
  http::Url AddressOfStream() const;
  Status OnLine(std::string_view line);
  /// What an ERROR in the stream, or an answer that is no stream, means.
  Status OnRefusal(const StatusObject& status);
  /// Passes on what cannot be mended; else waits for the next attempt.
  Status Recover(const Error& error);
  /// Whether a refusal is put down to a server that is just starting.
  bool MayBeStarting(ErrorCode code);
  Status Pause();
  /// The server answers again.
  void Heard();

  const Sender& sender_;
  const Operation& operation_;
  const Collection collection_;
  const WatchOptions& options_;
  std::stop_token stop_;
  std::optional<Error> sink_error_;  ///< of the caller's sink: the end
  KnownObjects known_;
  std::string version_;  ///< to watch from; empty: a list is needed
  int version_refusals_ = 0;
  bool synced_ = false;
  bool admitted_ = false;  ///< a stream has begun once
  bool in_trouble_ = false;
  std::optional<SteadyTime> refused_since_;
  std::optional<std::chrono::milliseconds> pause_;  ///< that the server asked for
  int failed_ = 0;                                  ///< attempts without progress
};

}  // namespace kinetic::kube
