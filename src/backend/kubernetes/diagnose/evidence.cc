#include "backend/cause_text.h"
#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::backend {

Explanation MakeExplanation(Cause cause, JobState state) {
  const CauseText& text = TextOf(cause);
  return {.cause = cause,
          .state = state,
          .phase = text.phase,
          .headline = std::string(text.headline),
          .advice = std::string(text.advice),
          .final = text.final};
}

std::string LastClause(std::string_view message) {
  constexpr std::size_t kLongest = 200;
  constexpr std::array<std::string_view, 6> kBefore = {"Error creating: ",
                                                       " is forbidden: ",
                                                       "unable to start container process: ",
                                                       "Internal error occurred: ",
                                                       "failed to pull and unpack image ",
                                                       "failed to resolve reference "};
  constexpr std::string_view kNodes = "nodes are available: ";
  if (const std::size_t nodes = message.find(kNodes); nodes != std::string_view::npos) {
    message.remove_prefix(nodes + kNodes.size());
    message = message.substr(0, message.find(". "));
  }
  if (message.starts_with("MountVolume")) {
    const std::size_t colon = message.find(" : ");
    if (colon != std::string_view::npos) message.remove_prefix(colon + 3);
  }
  for (const std::string_view before : kBefore) {
    const std::size_t at = message.rfind(before);
    if (at != std::string_view::npos) message.remove_prefix(at + before.size());
  }
  message = Trim(message);
  for (const std::string_view after : {": unknown", "."}) {
    if (message.ends_with(after)) message.remove_suffix(after.size());
  }
  std::string text(message.substr(0, message.rfind(' ', kLongest)));
  if (message.size() <= kLongest) text = message;
  std::ranges::replace_if(text, [](char c) { return c >= 0 && c < ' '; }, ' ');
  return text.size() < message.size() ? text + " …" : text;
}

Evidence EvidenceOf(const EventView& event) {
  std::string source = fmt::format("event {} of {} {}", event.reason,
                                   event.kind == "Pod"   ? "pod"
                                   : event.kind == "Job" ? "job"
                                                         : std::string(event.kind),
                                   event.name);
  if (!event.component.empty()) source += fmt::format(" ({})", event.component);
  return {.source = std::move(source),
          .text = std::string(event.message),
          .first = event.first,
          .last = event.last,
          .count = event.count};
}

Evidence ConditionEvidence(const Value& condition, std::string_view of) {
  const auto changed = TimeAt(condition, {"lastTransitionTime"});
  const auto time = changed ? changed : TimeAt(condition, {"lastProbeTime"});
  return {
      .source = fmt::format("condition {}={} of {}", TextAt(condition, {"type"}),
                            TextAt(condition, {"status"}), of),
      .text = fmt::format("{}: {}", TextAt(condition, {"reason"}), TextAt(condition, {"message"})),
      .first = time,
      .last = time};
}

Evidence ContainerEvidence(const Value& pod, std::string_view container, std::string_view state) {
  Evidence evidence{
      .source = fmt::format("container {} of pod {}, {}", container, NameOf(pod), state),
      .text = {},
      .first = {},
      .last = {}};
  const Value* status = ContainerStatus(pod, container);
  const Value* detail = status == nullptr ? nullptr : At(*status, {"state", state});
  if (detail == nullptr) return evidence;
  evidence.text = std::string(TextAt(*detail, {"reason"}));
  if (const auto code = IntAt(*detail, {"exitCode"})) {
    evidence.text += fmt::format(", exit code {}", *code);
  }
  const std::string_view message = TextAt(*detail, {"message"});
  if (!message.empty()) evidence.text += fmt::format(": {}", message);
  const auto finished = TimeAt(*detail, {"finishedAt"});
  evidence.first = finished ? finished : TimeAt(*detail, {"startedAt"});
  evidence.last = evidence.first;
  return evidence;
}

Evidence PodStatusEvidence(const Value& pod) {
  return {.source = fmt::format("status of pod {}", NameOf(pod)),
          .text = fmt::format("{}: {}", TextAt(pod, {"status", "reason"}),
                              TextAt(pod, {"status", "message"})),
          .first = {},
          .last = {}};
}

}  // namespace kinetic::backend
