
#include "backend/kubernetes/snapshot/index.h"

#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"
#include "pod/container.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace kinetic::backend {
namespace {

std::optional<WallTime> FirstOf(std::initializer_list<std::optional<WallTime>> times) {
  for (const auto& time : times) {
    if (time) return time;
  }
  return std::nullopt;
}

std::uint64_t CountOf(const Value& event) {
  const auto series = IntAt(event, {"series", "count"});
  const auto count = series ? series : IntAt(event, {"count"});
  return count && *count > 0 ? static_cast<std::uint64_t>(*count) : 1;
}

EventView Read(const Value& event) {
  EventView view{.object = &event,
                 .reason = TextAt(event, {"reason"}),
                 .message = TextAt(event, {"message"}),
                 .component = TextAt(event, {"reportingComponent"}),
                 .kind = TextAt(event, {"involvedObject", "kind"}),
                 .name = TextAt(event, {"involvedObject", "name"}),
                 .uid = TextAt(event, {"involvedObject", "uid"})};
  if (view.component.empty()) view.component = TextAt(event, {"source", "component"});
  view.first = FirstOf({TimeAt(event, {"firstTimestamp"}), TimeAt(event, {"eventTime"}),
                        TimeAt(event, {"metadata", "creationTimestamp"})});
  view.last = FirstOf({TimeAt(event, {"series", "lastObservedTime"}),
                       TimeAt(event, {"lastTimestamp"}), view.first});
  view.count = CountOf(event);
  view.version = ParseInt(TextAt(event, {"metadata", "resourceVersion"})).value_or(0);
  return view;
}

const Value* Newest(const Objects& pods) {
  const Value* newest = nullptr;
  for (const Value* pod : pods) {
    if (newest == nullptr ||
        std::pair(TextAt(*pod, {"metadata", "creationTimestamp"}), NameOf(*pod)) >
            std::pair(TextAt(*newest, {"metadata", "creationTimestamp"}), NameOf(*newest))) {
      newest = pod;
    }
  }
  return newest;
}

bool IsOneOf(std::string_view reason, std::initializer_list<std::string_view> reasons) {
  return std::ranges::find(reasons, reason) != reasons.end();
}

/// Compares UIDs, because an earlier object may have had the same name.
bool IsAbout(const EventView& event, std::string_view kind, const Value& object) {
  if (event.kind != kind || event.name != NameOf(object)) return false;
  return event.uid.empty() || UidOf(object).empty() || event.uid == UidOf(object);
}

}  // namespace

SnapshotIndex::SnapshotIndex(const SnapshotView& snapshot)
    : view(snapshot), pod(Newest(snapshot.pods)) {
  events.reserve(snapshot.events.size());
  for (const Value* event : snapshot.events) events.push_back(Read(*event));
  std::ranges::sort(events, std::ranges::greater(), [](const EventView& event) {
    return std::tuple(event.last.value_or(WallTime()), event.version, NameOf(*event.object));
  });
}

const EventView* SnapshotIndex::PodEvent(std::initializer_list<std::string_view> reasons,
                                         std::string_view text) const {
  if (pod == nullptr) return nullptr;
  const auto found = std::ranges::find_if(events, [&](const EventView& event) {
    return IsOneOf(event.reason, reasons) && IsAbout(event, "Pod", *pod) &&
           event.message.find(text) != std::string_view::npos;
  });
  return found == events.end() ? nullptr : &*found;
}

const EventView* SnapshotIndex::JobEvent(std::initializer_list<std::string_view> reasons) const {
  if (view.job == nullptr) return nullptr;
  const auto found = std::ranges::find_if(events, [&](const EventView& event) {
    return IsOneOf(event.reason, reasons) && IsAbout(event, "Job", *view.job);
  });
  return found == events.end() ? nullptr : &*found;
}

const EventView* SnapshotIndex::AnyPodEvent(std::initializer_list<std::string_view> reasons,
                                            std::string_view text) const {
  const auto found = std::ranges::find_if(events, [&](const EventView& event) {
    return event.kind == "Pod" && IsOneOf(event.reason, reasons) &&
           event.message.find(text) != std::string_view::npos;
  });
  return found == events.end() ? nullptr : &*found;
}

bool SnapshotIndex::HasBegun() const {
  if (view.has_begun || AnyPodEvent({"Started"}, pod::kMainContainer) != nullptr) return true;
  return std::ranges::any_of(view.pods, [](const Value* each) {
    const Value* main = ContainerStatus(*each, pod::kMainContainer);
    return main != nullptr && (At(*main, {"state", "running"}) != nullptr ||
                               TimeAt(*main, {"state", "terminated", "startedAt"}));
  });
}

const Value* SnapshotIndex::Node() const {
  if (pod == nullptr) return nullptr;
  const std::string_view name = TextAt(*pod, {"spec", "nodeName"});
  const auto found =
      std::ranges::find_if(view.nodes, [&](const Value* node) { return NameOf(*node) == name; });
  return found == view.nodes.end() ? nullptr : *found;
}

}  // namespace kinetic::backend
