#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// A parsed event of either API version.
struct EventView {
  const Value* object = nullptr;
  std::string_view reason;
  std::string_view message;
  std::string_view component;
  std::string_view kind;  ///< of the object that it is about
  std::string_view name;
  std::string_view uid;
  std::optional<WallTime> first;
  std::optional<WallTime> last;
  std::uint64_t count = 1;
  std::int64_t version = 0;  ///< orders events of the same second
};

/// A snapshot with its newest pod and its events in order. Refers to the view, which must outlive
/// it.
struct SnapshotIndex {
  explicit SnapshotIndex(const SnapshotView& snapshot);

  const SnapshotView& view;
  const Value* pod = nullptr;     ///< the newest; null: none
  std::vector<EventView> events;  ///< newest first

  /// The newest event about the pod or the Job with one of these reasons and with `text` in its
  /// message; null: none.
  const EventView* PodEvent(std::initializer_list<std::string_view> reasons,
                            std::string_view text = {}) const;
  const EventView* JobEvent(std::initializer_list<std::string_view> reasons) const;
  /// The newest event about any pod of the Job, including deleted pods.
  const EventView* AnyPodEvent(std::initializer_list<std::string_view> reasons,
                               std::string_view text = {}) const;
  /// Whether the program of any attempt has started, as far as the cluster reports.
  bool HasBegun() const;
  /// The listed node of the pod, or null.
  const Value* Node() const;
};

}  // namespace kinetic::backend
