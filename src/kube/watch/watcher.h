#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "kube/options.h"
#include "kube/sender.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::kube {

/// What a watch has told so far, so that nothing is told twice and nothing that went is forgotten:
/// of each object its name, uid and resourceVersion.
///
/// @threads  one thread at a time.
class KnownObjects {
 public:
  explicit KnownObjects(EventSink each) : each_(std::move(each)) {}

  /// A list of all that is there begins, perhaps anew.
  void BeginList() { ++list_; }
  /// Tells of an object, unless that has been done. @errors those of the sink.
  Status Present(const Value& object);
  /// Tells that an object is gone, if it was known. @errors those of the sink.
  Status Deleted(const Value& object);
  /// The list is complete: what was not in it is gone. @errors those of the sink.
  Status EndList();

  /// Tells that the first list is complete. @errors those of the sink.
  Status Synced() const { return each_({Event::Kind::kSynced, nullptr}); }

  std::size_t size() const { return known_.size(); }

 private:
  struct Entry {
    std::string uid;
    std::string version;
    std::uint64_t list = 0;  ///< the last one that had it
  };

  Status TellGone(const std::string& key, const Entry& entry) const;

  EventSink each_;
  std::map<std::string, Entry> known_;  ///< by "namespace/name"
  std::uint64_t list_ = 0;
};

/// Makes lines of pieces that end anywhere.
///
/// @threads  one thread at a time.
class Lines {
 public:
  explicit Lines(std::function<Status(std::string_view line)> each) : each_(std::move(each)) {}

  /// Passes on every line that is complete, without its end; empty ones are left out.
  ///
  /// @errors  those of `each` · kDataLoss when a line is longer than any object can be.
  Status Add(std::string_view piece);

 private:
  std::function<Status(std::string_view line)> each_;
  std::string begun_;
};

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
