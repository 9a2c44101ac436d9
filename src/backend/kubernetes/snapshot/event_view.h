#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// An event of either API, read.
struct EventView {
  const Value* object = nullptr;
  std::string_view reason;
  std::string_view message;
  std::string_view component;
  std::string_view kind;  ///< of what it is about
  std::string_view name;
  std::string_view uid;
  std::optional<WallTime> first;
  std::optional<WallTime> last;
  std::uint64_t count = 1;
  std::int64_t version = 0;  ///< tells events of the same second apart
};

/// A situation with what everybody who looks at it needs: the pod that matters, and the events in
/// order. It refers to the situation.
struct Sighting {
  explicit Sighting(const PodSituation& situation);

  const PodSituation& all;
  const Value* pod = nullptr;     ///< the newest; null: there is none
  std::vector<EventView> events;  ///< newest first

  /// The newest event about the pod, or about the Job, whose reason is one of these, and whose
  /// message has `text` in it; null: none.
  const EventView* PodEvent(std::initializer_list<std::string_view> reasons,
                            std::string_view text = {}) const;
  const EventView* JobEvent(std::initializer_list<std::string_view> reasons) const;
  /// The newest about any pod of the Job, also one that is gone.
  const EventView* AnyPodEvent(std::initializer_list<std::string_view> reasons,
                               std::string_view text = {}) const;
  /// Whether the program of any attempt has begun, as far as it can be seen.
  bool HasBegun() const;
  /// The node of the pod as it was listed, or null.
  const Value* Node() const;
};

}  // namespace kinetic::backend
