#include "target/kubernetes_warm.h"

#include "base/deadline.h"
#include "base/strings.h"
#include "base/try.h"
#include "target/kubernetes_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace kinetic::target {
namespace {

constexpr kube::Resource kDaemonSets{"apps", "v1", "daemonsets"};

/// What ends a watch when all has been seen.
Failure Enough() { return Fail(ErrorCode::kAborted, "enough"); }

/// "kubernetes.io/arch=amd64, cloud.google.com/gke-tpu-topology=2x2"
std::string SelectorText(const Value& set) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : MapAt(set, {"spec", "template", "spec", "nodeSelector"})) {
    parts.push_back(name + "=" + (value.AsString() != nullptr ? *value.AsString() : ""));
  }
  return Join(parts, ", ");
}

/// One DaemonSet, from its creation to its end.
class Warming {
 public:
  Warming(const kube::Client& client, const WarmRequest& request, const WarmOptions& options)
      : client_(client), request_(request), options_(options) {}

  Result<WarmReport> Run(const Value& set, const std::stop_token& stop) {
    name_ = kube::NameOf(set);
    report_.images = {request_.cluster.runner_image, request_.image};
    report_.selector = SelectorText(set);
    auto done = MakeAndWatch(set, stop);
    // Also when the caller has stopped it; nobody else removes it.
    const auto removed = client_.Delete(kDaemonSets, request_.cluster.name_space, name_, {}, {});
    KINETIC_RETURN_IF_ERROR(done);
    KINETIC_RETURN_IF_ERROR(removed);
    return std::move(report_);
  }

 private:
  struct Pod {
    std::string node;
    WarmState state;
  };

  Status MakeAndWatch(const Value& set, const std::stop_token& stop) {
    KINETIC_RETURN_IF_ERROR(
        client_.Create(kDaemonSets, request_.cluster.name_space, set, {}, stop));
    KINETIC_ASSIGN_OR_RETURN(const std::int64_t there, CountNodes(stop));
    if (there == 0) return {};
    wanted_ = options_.nodes == 0
                  ? static_cast<std::size_t>(there)
                  : std::min<std::size_t>(options_.nodes, static_cast<std::size_t>(there));
    KINETIC_RETURN_IF_ERROR(WatchPods(stop));
    return Tell(stop);
  }

  /// How many nodes are there that the DaemonSet is for.
  Result<std::int64_t> CountNodes(const std::stop_token& stop) const {
    std::optional<std::int64_t> count;
    bool gone = false;
    const auto look = [&](const kube::Event& event) -> Status {
      if (event.object == nullptr) return {};
      gone = event.kind == kube::Event::Kind::kDeleted;
      if (gone) return Enough();
      const auto observed = IntAt(*event.object, {"status", "observedGeneration"});
      const auto generation = IntAt(*event.object, {"metadata", "generation"});
      if (!observed || !generation || *observed < *generation) return {};
      count = IntAt(*event.object, {"status", "desiredNumberScheduled"}).value_or(0);
      return Enough();
    };
    const Status ended = client_.Watch(
        kDaemonSets, request_.cluster.name_space,
        {.label_selector = {}, .field_selector = "metadata.name=" + name_}, look, {}, stop);
    if (gone) return Removed();
    if (!count) return Failure(ended.error());
    return *count;
  }

  Status WatchPods(const std::stop_token& stop) {
    bool gone = false;
    const auto look = [&](const kube::Event& event) -> Status {
      if (event.object == nullptr) return {};
      if (event.kind == kube::Event::Kind::kDeleted) {
        const auto pod = pods_.find(std::string(kube::NameOf(*event.object)));
        gone = pod != pods_.end() && !pod->second.state.settled;
        return gone ? Enough() : Status();
      }
      return OnPod(*event.object);
    };
    const std::string key = name_.substr(name_.rfind('-') + 1);
    Status ended = client_.Watch(
        kube::kPods, request_.cluster.name_space,
        {.label_selector = "kinetic.dev/warm=" + key, .field_selector = {}}, look, {}, stop);
    if (gone) return Removed();
    if (Settled() >= wanted_) return {};
    return ended;
  }

  Failure Removed() const {
    return Fail(ErrorCode::kAborted,
                "the DaemonSet " + name_ + " was removed, or a node went, before all was pulled",
                "run the same command again");
  }

  std::size_t Settled() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(pods_, [](const auto& pod) { return pod.second.state.settled; }));
  }

  Status OnPod(const Value& object) {
    const std::string_view node = TextAt(object, {"spec", "nodeName"});
    Pod& pod = pods_[std::string(kube::NameOf(object))];
    if (pod.state.settled) return {};
    if (node.empty()) return {};
    pod = {std::string(node), WarmStateOf(object)};
    if (!pod.state.settled) return {};
    Say(pod);
    return Settled() >= wanted_ ? Status(Enough()) : Status();
  }

  void Say(const Pod& pod) const {
    if (options_.observer == nullptr) return;
    options_.observer->OnOutput(Phase::kPull, pod.state.failed.empty()
                                                  ? pod.node + " has them"
                                                  : pod.node + ": " + pod.state.failed);
  }

  /// The nodes, with what kubelets said of what they pulled.
  Status Tell(const std::stop_token& stop) {
    std::map<std::string, std::vector<WarmReport::Image>> told;
    const auto look = [&](const Value& event) -> Status {
      const auto image = PulledImage(event);
      const std::string pod(TextAt(event, {"involvedObject", "name"}));
      if (image && pods_.contains(pod)) Note(*image, told[pod]);
      return {};
    };
    const auto listed =
        client_.List(kube::kEvents, request_.cluster.name_space,
                     {.label_selector = {}, .field_selector = "reason=Pulled"}, look, stop);
    // Who may not see them is not told how long it took.
    if (!listed && listed.error().code == ErrorCode::kCancelled) return Failure(listed.error());
    for (auto& [name, pod] : pods_) {
      if (!pod.state.settled) continue;
      report_.nodes.push_back({pod.node, std::move(told[name]), std::move(pod.state.failed)});
    }
    std::ranges::sort(report_.nodes, {}, &WarmReport::Node::name);
    return {};
  }

  /// Of a container that is begun again its image is there.
  static void Note(const WarmReport::Image& image, std::vector<WarmReport::Image>& told) {
    const auto known = std::ranges::find(told, image.name, &WarmReport::Image::name);
    if (known == told.end())
      told.push_back(image);
    else if (image.pulled_in)
      *known = image;
  }

  const kube::Client& client_;
  const WarmRequest& request_;
  const WarmOptions& options_;
  std::string name_;
  std::size_t wanted_ = 0;
  std::map<std::string, Pod> pods_;
  WarmReport report_;
};

}  // namespace

Result<WarmReport> WarmNodes(const kube::Client& client, const WarmRequest& request,
                             const WarmOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Value set, WarmSet(request));
  const Deadline deadline(options.patience, stop);
  auto report = Warming(client, request, options).Run(set, deadline.token());
  if (report || !deadline.passed() || stop.stop_requested()) return report;
  return Fail(
      ErrorCode::kDeadlineExceeded,
      fmt::format("not all nodes have pulled {} in time", request.image),
      "run it again, which goes on with what is there, or look at the nodes: kubectl get events");
}

}  // namespace kinetic::target
