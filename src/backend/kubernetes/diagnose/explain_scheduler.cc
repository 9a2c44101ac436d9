#include "backend/cause_text.h"
#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/diagnose/node_fit.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kinetic::backend {
namespace {

/// Labels of node pools. If no node has the requested value, there is no such pool.
constexpr std::array<std::string_view, 5> kPoolLabels = {
    "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology",
    "cloud.google.com/gke-accelerator", "cloud.google.com/compute-class", "nvidia.com/gpu.product"};

/// Returns the reasons, without counts, in "0/3 nodes are available: 1 node(s) had untolerated
/// taint(s), 2 Insufficient cpu. preemption: …".
std::vector<std::string_view> Clauses(std::string_view message) {
  const std::size_t begin = message.find(": ");
  if (begin == std::string_view::npos) return {message};
  message.remove_prefix(begin + 2);
  message = message.substr(0, message.find(". "));
  while (message.ends_with('.')) message.remove_suffix(1);
  std::vector<std::string_view> clauses;
  for (std::string_view clause : Split(message, ',')) {
    clause = Trim(clause);
    const std::size_t word = clause.find_first_not_of("0123456789");
    if (word != std::string_view::npos) clauses.push_back(Trim(clause.substr(word)));
  }
  if (clauses.empty()) clauses.push_back(message);
  return clauses;
}

/// Returns the most actionable reason: a matching node without room, then a node that does not
/// match, then a taint.
Cause CauseByMessage(std::string_view message) {
  constexpr std::array kOrder = {Cause::kInsufficient, Cause::kVolume, Cause::kNoMatchingNode,
                                 Cause::kTaint};
  std::set<Cause> causes;
  for (const std::string_view clause : Clauses(message)) {
    causes.insert(MatchCause(SignalSource::kScheduler, "", clause).value_or(Cause::kUnschedulable));
  }
  for (const Cause cause : kOrder) {
    if (causes.contains(cause)) return cause;
  }
  return Cause::kUnschedulable;
}

/// Returns the cause by the nearest node, if the nodes are known.
Cause CauseByNodes(const std::vector<NodeFit>& fits, Cause said) {
  if (fits.empty() || said == Cause::kVolume || said == Cause::kUnschedulable) return said;
  const NodeFit& nearest = fits.front();
  if (!nearest.selectors.empty()) return Cause::kNoMatchingNode;
  if (!nearest.taints.empty()) return Cause::kTaint;
  return nearest.resources.empty() ? said : Cause::kInsufficient;
}

std::string PoolOf(const Value& object, FieldPath labels) {
  std::string text;
  for (const auto& [key, value] : MapAt(object, labels)) {
    if (std::ranges::find(kPoolLabels, key) == kPoolLabels.end()) continue;
    const std::string* name = value.AsString();
    if (name != nullptr) text += (text.empty() ? "" : " ") + *name;
  }
  return text;
}

/// "; the cluster has tpu-v5-lite-podslice 1x1, nvidia-l4"
std::string PoolsThere(const Objects& nodes) {
  std::set<std::string> pools;
  for (const Value* node : nodes) {
    std::string pool = PoolOf(*node, {"metadata", "labels"});
    if (!pool.empty()) pools.insert(std::move(pool));
  }
  if (pools.empty()) return "; the cluster has no accelerators";
  const std::vector<std::string> names(pools.begin(), pools.end());
  return "; the cluster has " + Join(names, ", ");
}

/// Whether no node has room for the pod even when empty.
bool IsTooLarge(const std::vector<NodeFit>& fits) {
  return !fits.empty() && std::ranges::all_of(fits, [](const NodeFit& fit) {
    return fit.too_small || !fit.selectors.empty();
  });
}

std::string ShortOf(const std::vector<NodeFit>& fits, const Value& pod, std::string_view message) {
  std::vector<std::string> short_of;
  for (const Request& request : RequestsOf(pod)) {
    const bool said = message.find("Insufficient " + request.resource) != std::string_view::npos;
    if (said) short_of.push_back(FormatRequest(request));
  }
  if (short_of.empty()) {
    return message.find("Too many pods") == std::string_view::npos
               ? std::string(TextOf(Cause::kInsufficient).headline)
               : "all matching nodes run their maximum number of pods";
  }
  const std::string what = Join(short_of, ", ");
  return IsTooLarge(fits) ? "no node is large enough for " + what : "no node has " + what + " free";
}

void DescribeTaint(Explanation& explanation, const std::vector<NodeFit>& fits) {
  if (fits.empty() || fits.front().taints.empty()) return;
  const std::vector<std::string>& taints = fits.front().taints;
  const std::string_view node = NameOf(*fits.front().node);
  if (taints.size() == 1 && taints.front().starts_with("node.kubernetes.io/unschedulable")) {
    explanation.headline =
        fmt::format("no node accepts the pod: node {} matches but is cordoned", node);
    explanation.advice = fmt::format("run 'kubectl uncordon {}', or wait for another node", node);
    return;
  }
  const bool all_have = std::ranges::all_of(
      fits, [&](const NodeFit& fit) { return !fit.selectors.empty() || fit.taints == taints; });
  explanation.headline = fmt::format(
      "no node accepts the pod: {} taint{} {}",
      all_have ? std::string("all matching nodes have") : fmt::format("node {} has", node),
      taints.size() == 1 ? "" : "s", Join(taints, ", "));
}

void Describe(Explanation& explanation, const std::vector<NodeFit>& fits,
              const SnapshotIndex& index, std::string_view message) {
  switch (explanation.cause) {
    case Cause::kInsufficient:
      explanation.headline = ShortOf(fits, *index.pod, message);
      if (IsTooLarge(fits)) {
        explanation.advice =
            "request less in 'resources:', use another accelerator, or add larger nodes";
      }
      break;
    case Cause::kNoSuchPool:
      explanation.headline =
          fmt::format("no node has {}{}", PoolOf(*index.pod, {"spec", "nodeSelector"}),
                      index.view.nodes_known ? PoolsThere(index.view.nodes) : std::string());
      break;
    case Cause::kNoMatchingNode:
      if (!fits.empty() && !fits.front().selectors.empty()) {
        explanation.headline =
            fmt::format("no node has {}", Join(std::span(fits.front().selectors), " and "));
      }
      break;
    case Cause::kTaint:
      DescribeTaint(explanation, fits);
      break;
    case Cause::kVolume:
      explanation.headline += ": " + LastClause(Clauses(message).front());
      explanation.phase = Phase::kProvision;
      break;
    default:
      break;
  }
}

Explanation Unscheduled(const SnapshotIndex& index, std::string_view message) {
  const std::vector<NodeFit> fits = FitNodes(index);
  Cause cause = CauseByNodes(fits, CauseByMessage(message));
  if (cause == Cause::kNoMatchingNode && !PoolOf(*index.pod, {"spec", "nodeSelector"}).empty()) {
    cause = Cause::kNoSuchPool;
  }
  Explanation explanation = MakeExplanation(cause, JobState::kPending);
  Describe(explanation, fits, index, message);
  if (explanation.cause != Cause::kVolume) explanation.near_nodes = NearestNodes(fits);
  return explanation;
}

}  // namespace

MaybeExplanation ExplainScheduling(const SnapshotIndex& index) {
  if (index.pod == nullptr || !TextAt(*index.pod, {"spec", "nodeName"}).empty())
    return std::nullopt;
  const Value* condition = ConditionOf(*index.pod, "PodScheduled");
  const EventView* event = index.PodEvent({"FailedScheduling"});
  const bool refused = condition != nullptr && TextAt(*condition, {"status"}) == "False";
  if (!refused && event == nullptr) {
    Explanation explanation = MakeExplanation(Cause::kNoStatus, JobState::kPending);
    explanation.phase = Phase::kProvision;
    explanation.headline = "the scheduler has not processed the pod yet";
    explanation.since = TimeAt(*index.pod, {"metadata", "creationTimestamp"});
    return explanation;
  }
  const std::string pod = fmt::format("pod {}", NameOf(*index.pod));
  if (refused && TextAt(*condition, {"reason"}) == "SchedulingGated") {
    Explanation explanation = MakeExplanation(Cause::kSchedulingGated, JobState::kQueued);
    explanation.evidence.push_back(ConditionEvidence(*condition, pod));
    return explanation;
  }
  Explanation explanation =
      Unscheduled(index, refused ? TextAt(*condition, {"message"}) : event->message);
  if (event != nullptr) explanation.evidence.push_back(EvidenceOf(*event));
  if (refused) explanation.evidence.push_back(ConditionEvidence(*condition, pod));
  explanation.since = explanation.evidence.back().first;
  return explanation;
}

}  // namespace kinetic::backend
