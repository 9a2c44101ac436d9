#pragma once

#include "kinetic/value.h"

#include "kube/watch/event.h"

#include <cstdint>
#include <map>
#include <string>

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

}  // namespace kinetic::kube
