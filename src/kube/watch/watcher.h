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

/// The name, uid and resourceVersion of each object that a watch has reported. Suppresses duplicate
/// events and detects deletions that the watch missed.
///
/// @threads  one thread at a time.
class KnownObjects {
 public:
  explicit KnownObjects(EventSink each) : each_(std::move(each)) {}

  /// Starts a complete list.
  void BeginList() { ++list_; }
  /// Reports an object unless this version was reported. @errors those of the sink.
  Status Update(const Value& object);
  /// Reports a deletion if the object was known. @errors those of the sink.
  Status Remove(const Value& object);
  /// Ends the list and reports objects that were not in it as deleted. @errors those of the sink.
  Status EndList();

  Status EmitSynced() const { return each_({WatchEvent::Kind::kSynced, nullptr}); }

  std::size_t size() const { return known_.size(); }

 private:
  struct Entry {
    std::string uid;
    std::string version;
    std::uint64_t list = 0;  ///< the last list that contained it
  };

  Status EmitDeleted(const std::string& key, const Entry& entry) const;

  EventSink each_;
  std::map<std::string, Entry> known_;  ///< by "namespace/name"
  std::uint64_t list_ = 0;
};

/// Splits a stream into lines.
///
/// @threads  one thread at a time.
class LineSplitter {
 public:
  explicit LineSplitter(std::function<Status(std::string_view line)> each)
      : each_(std::move(each)) {}

  /// Calls `each` for every complete line that is not empty, without its line end.
  ///
  /// @errors  those of `each` · kDataLoss: a line exceeds the size of any object.
  Status Add(std::string_view piece);

 private:
  std::function<Status(std::string_view line)> each_;
  std::string partial_;
};

/// One Client::Watch.
///
/// @threads  one thread at a time.
class Watcher {
 public:
  struct Collection {
    http::Url url;
    ListOptions query;
  };

  /// All references must outlive it.
  Watcher(const RequestSender& sender, const Operation& operation, Collection collection,
          const EventSink& each, const WatchOptions& options, std::stop_token stop);

  /// Runs until an error; see Client::Watch.
  Status Run();

 private:
  /// Lists all objects and sets the version to watch from.
  Status Relist();
  /// Opens one watch stream and processes it until it ends.
  Status Stream();
  http::Url StreamUrl() const;
  Status OnLine(std::string_view line);
  /// Handles an ERROR event or an error response.
  Status OnErrorStatus(const StatusObject& status);
  /// Returns errors that are not transient. Otherwise waits for the next attempt.
  Status Recover(const Error& error);
  bool MayBeServerStartup(ErrorCode code);
  Status Pause();
  /// Called when the server responds.
  void OnContact();

  const RequestSender& sender_;
  const Operation& operation_;
  const Collection collection_;
  const WatchOptions& options_;
  std::stop_token stop_;
  std::optional<Error> sink_error_;  ///< from the caller's sink; ends the watch
  KnownObjects known_;
  std::string version_;  ///< to watch from; empty: list first
  int version_rejections_ = 0;
  bool synced_ = false;
  bool admitted_ = false;  ///< a stream has been established once
  bool unhealthy_ = false;
  std::optional<SteadyTime> rejected_since_;
  std::optional<std::chrono::milliseconds> pause_;  ///< requested by the server
  int failed_ = 0;                                  ///< attempts without progress
};

}  // namespace kinetic::kube
