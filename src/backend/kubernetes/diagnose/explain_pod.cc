#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"
#include "pod/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::backend {
namespace {

/// In the order in which they start.
constexpr std::array<std::string_view, 2> kContainers = {pod::kCollectorContainer,
                                                         pod::kMainContainer};

std::string_view WaitingReason(const Value& pod, std::string_view container) {
  const Value* status = ContainerStatus(pod, container);
  return status == nullptr ? std::string_view() : TextAt(*status, {"state", "waiting", "reason"});
}

bool IsRunning(const Value& pod, std::string_view container) {
  const Value* status = ContainerStatus(pod, container);
  return status != nullptr && At(*status, {"state", "running"}) != nullptr;
}

/// Returns the message of a failed pull. During backoff it is in the waiting message since
/// Kubernetes 1.32, and in an event before that.
std::string PullWords(const SnapshotIndex& index, std::string_view container) {
  std::string words(
      TextAt(*ContainerStatus(*index.pod, container), {"state", "waiting", "message"}));
  const EventView* event = index.PodEvent({"Failed"});
  if (event != nullptr && event->message.starts_with("Failed to pull image")) {
    words.append(" ").append(event->message);
  }
  return words;
}

/// Returns the failure behind ImagePullBackOff, whose message contains its reason.
std::string_view PullFailure(std::string_view reason, std::string_view words) {
  if (reason != "ImagePullBackOff") return reason;
  for (const std::string_view known : {"RegistryUnavailable", "SignatureValidationFailed"}) {
    if (words.find(known) != std::string_view::npos) return known;
  }
  return "ErrImagePull";
}

std::string ContainerImage(const Value& pod, std::string_view container) {
  const Value* spec = ContainerSpec(pod, container);
  return spec == nullptr ? std::string() : std::string(TextAt(*spec, {"image"}));
}

void NameTheImage(Explanation& explanation, const Value& pod, std::string_view container) {
  const std::string image = ContainerImage(pod, container);
  const bool ours = container == pod::kCollectorContainer;
  if (image.empty() || explanation.phase != Phase::kPull) return;
  explanation.headline += fmt::format(": {}{}", image, ours ? " (kinetic's collector)" : "");
  if (ours) {
    explanation.advice +=
        explanation.advice.empty() ? "" : "; the profile's 'runner_image' sets this image";
  }
}

/// Returns the most informative event on a waiting container; "Error: ErrImagePull" is the least.
const EventView* WordyEvent(const SnapshotIndex& index) {
  if (const auto* event = index.PodEvent({"Failed"}, "Failed to pull image")) return event;
  const auto* event = index.PodEvent({"InspectFailed", "ErrImageNeverPull", "FailedPostStartHook"});
  return event != nullptr ? event : index.PodEvent({"Failed", "BackOff"});
}

Explanation Waiting(const SnapshotIndex& index, std::string_view container, Cause cause) {
  Explanation explanation = MakeExplanation(cause, JobState::kPending);
  explanation.evidence.push_back(ContainerEvidence(*index.pod, container, "waiting"));
  NameTheImage(explanation, *index.pod, container);
  if (explanation.phase == Phase::kStart && cause != Cause::kCrashLoop) {
    explanation.headline += ": " + LastClause(TextAt(*ContainerStatus(*index.pod, container),
                                                     {"state", "waiting", "message"}));
  }
  const EventView* event = WordyEvent(index);
  if (event != nullptr) {
    explanation.evidence.push_back(EvidenceOf(*event));
    explanation.since = event->first;
  }
  return explanation;
}

/// Adds how the last run of a restarted container ended.
void AddLastEnd(Explanation& explanation, const Value& pod, std::string_view container) {
  const Value* status = ContainerStatus(pod, container);
  const Value* last = At(*status, {"lastState", "terminated"});
  if (last == nullptr) return;
  const auto code = IntAt(*last, {"exitCode"}).value_or(0);
  const auto restarts = IntAt(*status, {"restartCount"}).value_or(0);
  explanation.progress = fmt::format("{} restarts, last exit code {}", restarts, code);
  explanation.evidence.push_back(
      {.source = fmt::format("container {} of pod {}, last termination", container, NameOf(pod)),
       .text = fmt::format("{}, exit code {} {}", TextAt(*last, {"reason"}), code,
                           TextAt(*last, {"message"})),
       .first = TimeAt(*last, {"finishedAt"}),
       .last = TimeAt(*last, {"finishedAt"})});
}

/// Explains a pod whose sandbox was killed while its collector started. The kubelet does not start
/// the containers of such a pod again if its restartPolicy is Never, and does not end it either.
MaybeExplanation ExplainKilledStart(const SnapshotIndex& index, const Value& end) {
  constexpr std::chrono::minutes kLongestRestart{1};
  const auto finished = TimeAt(end, {"finishedAt"});
  if (!finished || index.view.now < *finished + kLongestRestart) return std::nullopt;
  Explanation explanation = MakeExplanation(Cause::kNodeLost, JobState::kPending);
  explanation.phase = Phase::kStart;
  explanation.headline = fmt::format(
      "the containers were killed while they started on node {}, and Kubernetes does not start "
      "them again",
      TextAt(*index.pod, {"spec", "nodeName"}));
  explanation.advice = "cancel the job, and run it again";
  explanation.evidence = {ContainerEvidence(*index.pod, pod::kCollectorContainer, "terminated")};
  explanation.since = finished;
  return explanation;
}

/// Explains a collector that exits before the program starts. It is restarted repeatedly and mostly
/// observed as terminated.
MaybeExplanation ExplainCollectorEnd(const SnapshotIndex& index) {
  const Value* status = ContainerStatus(*index.pod, pod::kCollectorContainer);
  const Value* end = status == nullptr ? nullptr : At(*status, {"state", "terminated"});
  if (end == nullptr) return std::nullopt;
  const EventView* event = index.PodEvent({"BackOff"});
  if (event == nullptr) return ExplainKilledStart(index, *end);
  const Value* node = index.Node();
  const std::string_view processor =
      node == nullptr ? "" : TextAt(*node, {"metadata", "labels", "kubernetes.io/arch"});
  const bool foreign = !processor.empty() && processor != "amd64";
  Explanation explanation =
      MakeExplanation(foreign ? Cause::kImageArchitecture : Cause::kCrashLoop, JobState::kPending);
  if (foreign) {
    explanation.headline =
        fmt::format("node {} is {}, but kinetic requires amd64", NameOf(*node), processor);
  }
  explanation.progress =
      fmt::format("{} restarts, last exit code {}", IntAt(*status, {"restartCount"}).value_or(0),
                  IntAt(*end, {"exitCode"}).value_or(0));
  explanation.evidence = {ContainerEvidence(*index.pod, pod::kCollectorContainer, "terminated"),
                          EvidenceOf(*event)};
  explanation.since = event->first;
  return explanation;
}

MaybeExplanation ExplainWaiting(const SnapshotIndex& index, std::string_view container) {
  std::string_view reason = WaitingReason(*index.pod, container);
  if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") {
    return std::nullopt;
  }
  const std::string words = PullWords(index, container);
  reason = PullFailure(reason, words);
  const auto cause = MatchCause(SignalSource::kWaiting, reason, words);
  if (!cause) return std::nullopt;
  Explanation explanation = Waiting(index, container, *cause);
  if (*cause == Cause::kCrashLoop) {
    AddLastEnd(explanation, *index.pod, container);
    if (IsRunning(*index.pod, pod::kMainContainer)) explanation.state = JobState::kRunning;
  }
  return explanation;
}

/// Returns the quoted image of 'Pulling image "x"', including the quotes.
std::string_view QuotedIn(std::string_view message) {
  const std::size_t begin = message.find('"');
  if (begin == std::string_view::npos) return {};
  return message.substr(begin, message.find('"', begin + 1) - begin + 1);
}

/// Whether a later event supersedes this one. Events are ordered, newest first.
bool IsOver(const SnapshotIndex& index, const EventView& event) {
  const EventView* later = event.reason == "Pulling"
                               ? index.PodEvent({"Pulled", "Failed"}, QuotedIn(event.message))
                               : index.PodEvent({"Pulling", "Pulled", "Created", "Started"});
  return later != nullptr && later < &event;
}

/// Explains a starting pod by the node's newest event.
MaybeExplanation ExplainStarting(const SnapshotIndex& index) {
  const EventView* event = index.PodEvent(
      {"FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox",
       "FailedCreatePodContainer", "NetworkNotReady", "FailedPrepareDynamicResources", "Pulling"});
  if (const EventView* failed = index.PodEvent({"Failed"}, "Failed to pull image")) {
    // The pod's status follows a second later.
    if (event != nullptr && failed < event) event = failed;
  }
  Explanation explanation = MakeExplanation(Cause::kStarting, JobState::kPending);
  if (event != nullptr && !IsOver(index, *event)) {
    const auto cause = event->reason == "Failed"
                           ? MatchCause(SignalSource::kWaiting, "ErrImagePull", event->message)
                           : MatchCause(SignalSource::kPodEvent, event->reason, event->message);
    explanation = MakeExplanation(cause.value_or(Cause::kStarting), JobState::kPending);
    explanation.evidence.push_back(EvidenceOf(*event));
    explanation.since = event->first;
    if (explanation.cause != Cause::kPulling) {
      explanation.headline += ": " + LastClause(event->message);
    }
  }
  if (explanation.cause == Cause::kPulling && event->last) {
    const bool ours =
        event->message.find(ContainerImage(*index.pod, pod::kMainContainer)) == std::string::npos;
    NameTheImage(explanation, *index.pod, ours ? pod::kCollectorContainer : pod::kMainContainer);
    const auto waited = std::max(WallTime::duration(0), index.view.now - *event->last);
    explanation.progress = fmt::format(
        "for {}", FormatDuration(std::chrono::duration_cast<std::chrono::milliseconds>(waited)));
  }
  return explanation;
}

}  // namespace

MaybeExplanation ExplainNode(const SnapshotIndex& index) {
  if (index.pod == nullptr) return std::nullopt;
  const std::string_view name = TextAt(*index.pod, {"spec", "nodeName"});
  if (name.empty()) return std::nullopt;
  const JobState state =
      IsRunning(*index.pod, pod::kMainContainer) ? JobState::kRunning : JobState::kPending;
  const Value* node = index.Node();
  if (node == nullptr) {
    if (!index.view.nodes_known) return std::nullopt;
    Explanation gone = MakeExplanation(Cause::kNodeLost, state);
    gone.headline = fmt::format("node {} is gone", name);
    return gone;
  }
  const Value* ready = ConditionOf(*node, "Ready");
  if (ready == nullptr || TextAt(*ready, {"status"}) == "True") return std::nullopt;
  Explanation explanation = MakeExplanation(Cause::kNodeNotReady, state);
  if (state == JobState::kRunning) explanation.phase = Phase::kRun;
  const bool silent = TextAt(*ready, {"status"}) == "Unknown";
  explanation.headline =
      fmt::format("node {} {}", name, silent ? "does not respond" : "is not ready");
  explanation.evidence.push_back(ConditionEvidence(*ready, fmt::format("node {}", name)));
  explanation.since = explanation.evidence.back().first;
  return explanation;
}

MaybeExplanation ExplainContainers(const SnapshotIndex& index) {
  if (index.pod == nullptr || TextAt(*index.pod, {"spec", "nodeName"}).empty()) return std::nullopt;
  for (const std::string_view container : kContainers) {
    if (ContainerStatus(*index.pod, container) == nullptr) continue;
    if (auto explanation = ExplainWaiting(index, container)) return explanation;
  }
  if (!IsRunning(*index.pod, pod::kMainContainer)) {
    auto ended = ExplainCollectorEnd(index);
    return ended ? ended : ExplainStarting(index);
  }
  Explanation running = MakeExplanation(Cause::kRunning, JobState::kRunning);
  running.since =
      TimeAt(*ContainerStatus(*index.pod, pod::kMainContainer), {"state", "running", "startedAt"});
  running.headline =
      fmt::format("the program is running on node {}", TextAt(*index.pod, {"spec", "nodeName"}));
  return running;
}

}  // namespace kinetic::backend
