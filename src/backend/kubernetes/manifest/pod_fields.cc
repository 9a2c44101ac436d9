#include "backend/kubernetes/manifest/pod_fields.h"

#include "backend/kubernetes/manifest/pod_template.h"
#include "base/strings.h"
#include "pod/container.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

using Reasons = std::pair<std::string_view, std::string_view>;

constexpr std::array<Reasons, 6> kOfThePod{
    {{"restartPolicy", "use 'retry'"},
     {"activeDeadlineSeconds", "use 'timeouts.pending' and 'timeouts.run'"},
     {"terminationGracePeriodSeconds", "use 'timeouts.grace'"},
     {"shareProcessNamespace", "the launcher must be the first process of its container"},
     {"hostPID", "the launcher must be the first process of its container"},
     {"ephemeralContainers", "a new pod cannot have ephemeral containers"}}};

constexpr std::string_view kStarted = "use 'function' or 'run' and 'args'";

constexpr std::array<Reasons, 10> kOfMain{
    {{"image", "use the job file's 'image'"},
     {"command", kStarted},
     {"args", kStarted},
     {"workingDir", "use 'workdir'"},
     {"stdin", "the program's input is closed"},
     {"stdinOnce", "the program's input is closed"},
     {"tty", "the program's input is closed"},
     {"restartPolicy", "use 'retry'"},
     {"terminationMessagePath", "the launcher writes the termination message"},
     {"terminationMessagePolicy", "the launcher writes the termination message"}}};

constexpr std::array<std::string_view, 2> kChips{"google.com/tpu", "nvidia.com/gpu"};
constexpr std::array<std::string_view, 3> kReservedMetadata{"kinetic.dev/", "batch.kubernetes.io/",
                                                            "kueue.x-k8s.io/"};
constexpr std::string_view kReservedVariables = "KINETIC_";

const std::string kMain(pod::kMainContainer);
const std::string kCollector(pod::kCollectorContainer);

/// Compares a template before and after the merge.
class Inspection {
 public:
  Inspection(const Value& plain, const Value& merged, const Value& pod)
      : plain_(plain), merged_(merged), pod_(pod) {}

  std::vector<PodFieldProblem> Inspect() && {
    CheckContainers();
    if (!problems_.empty()) return std::move(problems_);
    CheckMembers();
    CheckCollector();
    for (const auto volume : {kSharedVolume, kMemoryVolume, kCredentialVolume}) {
      Keep({"spec", "volumes", std::string(volume)}, "the volume belongs to kinetic");
    }
    CheckMounts();
    CheckVariables();
    CheckMetadata();
    return std::move(problems_);
  }

 private:
  void Report(const PodPath& path, std::string_view reason) {
    PodFieldProblem problem{PlaceIn(pod_, path), std::string(reason)};
    const auto same = [&](const auto& known) { return known.key == problem.key; };
    if (std::ranges::none_of(problems_, same)) problems_.push_back(std::move(problem));
  }

  /// Reports the value at `path` if it was changed, added or removed.
  void Keep(const PodPath& path, std::string_view reason) {
    const Value* before = FindAt(plain_, path);
    const Value* after = FindAt(merged_, path);
    if ((before == nullptr) != (after == nullptr) || (before != nullptr && *before != *after)) {
      Report(path, "cannot be changed: " + std::string(reason));
    }
  }

  const Value::List& ListAt(const Value& pod_template, const PodPath& path) const {
    static const Value::List kNone;
    const Value* found = FindAt(pod_template, path);
    return found == nullptr || found->AsList() == nullptr ? kNone : *found->AsList();
  }

  static std::string TextOf(const Value& item, std::string_view member) {
    const Value* text = item.Find(member);
    return text == nullptr || text->AsString() == nullptr ? std::string() : *text->AsString();
  }

  void CheckContainers() {
    const PodPath containers{"spec", "containers"};
    if (FindAt(merged_, {"spec", "containers", kMain}) == nullptr) {
      Report(containers, "the container 'main' cannot be removed");
    }
    for (const auto& container : ListAt(merged_, containers)) {
      const std::string name = TextOf(container, "name");
      if (name == kMain) continue;
      Report(
          {"spec", "containers", name},
          "the pod would not end with the job; name the job's container 'main', and add sidecars "
          "to initContainers with restartPolicy: Always");
    }
    const PodPath init{"spec", "initContainers"};
    const auto& first = ListAt(merged_, init);
    if (first.empty() || TextOf(first.front(), "name") != kCollector) {
      Report(init, "the container 'collector' must be the first");
    }
  }

  void CheckMembers() {
    for (const auto& [member, reason] : kOfThePod) Keep({"spec", std::string(member)}, reason);
    for (const auto& [member, reason] : kOfMain) {
      Keep({"spec", "containers", kMain, std::string(member)}, reason);
    }
    for (const auto chip : kChips) {
      for (const char* const kind : {"limits", "requests"}) {
        Keep({"spec", "containers", kMain, "resources", kind, std::string(chip)},
             "use 'accelerator'");
      }
    }
  }

  void CheckCollector() {
    const PodPath path{"spec", "initContainers", kCollector};
    for (const auto* pod_template : {&plain_, &merged_}) {
      const Value* collector = FindAt(*pod_template, path);
      if (collector == nullptr || collector->AsMap() == nullptr) continue;
      for (const auto& [name, value] : *collector->AsMap()) {
        PodPath member = path;
        member.push_back(name);
        if (name != "resources") Keep(member, "only the collector's resources can");
      }
    }
  }

  void CheckMounts() {
    const PodPath path{"spec", "containers", kMain, "volumeMounts"};
    for (const auto* pod_template : {&plain_, &merged_}) {
      for (const auto& mount : ListAt(*pod_template, path)) {
        const std::string place = TextOf(mount, "mountPath");
        PodPath item = path;
        item.push_back(place);
        const bool ours = FindAt(plain_, item) != nullptr;
        if (ours) Keep(item, "the mount belongs to kinetic");
        if (!ours && IsInSharedFolder(place)) Report(item, "the folder is reserved for kinetic");
      }
    }
  }

  void CheckVariables() {
    const PodPath path{"spec", "containers", kMain, "env"};
    for (const auto* pod_template : {&plain_, &merged_}) {
      for (const auto& variable : ListAt(*pod_template, path)) {
        const std::string name = TextOf(variable, "name");
        PodPath item = path;
        item.push_back(name);
        const bool ours = FindAt(plain_, item) != nullptr;
        if (ours) Keep(item, "kinetic sets this variable");
        if (!ours && name.starts_with(kReservedVariables)) {
          Report(item, "variables named KINETIC_* are reserved for kinetic");
        }
      }
    }
  }

  void CheckMetadata() {
    for (const char* const map : {"labels", "annotations"}) {
      for (const auto* pod_template : {&plain_, &merged_}) {
        const Value* members = FindAt(*pod_template, {"metadata", map});
        if (members == nullptr || members->AsMap() == nullptr) continue;
        for (const auto& [name, value] : *members->AsMap()) {
          if (IsReserved(name)) Keep({"metadata", map, name}, "kinetic selects objects by it");
        }
      }
    }
  }

  /// Returns whether kinetic or a controller sets this label or annotation.
  static bool IsReserved(std::string_view name) {
    return name == "app.kubernetes.io/managed-by" || name == "job-name" ||
           name == "controller-uid" ||
           std::ranges::any_of(kReservedMetadata,
                               [&](std::string_view prefix) { return name.starts_with(prefix); });
  }

  const Value& plain_;
  const Value& merged_;
  const Value& pod_;
  std::vector<PodFieldProblem> problems_;
};

/// Returns the fields that a job file cannot set.
std::vector<PodFieldProblem> Misplaced(const Value& pod) {
  if (pod.AsMap() == nullptr) return {{"pod", "expected a map with metadata and spec"}};
  std::vector<PodFieldProblem> problems;
  for (const auto& [name, value] : *pod.AsMap()) {
    if (name == "metadata" || name == "spec") continue;
    problems.push_back({"pod." + name, "expected metadata or spec; set pod fields under spec"});
  }
  const Value* metadata = pod.Find("metadata");
  if (metadata == nullptr || metadata->AsMap() == nullptr) return problems;
  for (const auto& [name, value] : *metadata->AsMap()) {
    if (name == "labels" || name == "annotations") continue;
    problems.push_back({"pod.metadata." + name, "expected labels or annotations"});
  }
  return problems;
}

std::string KeyOf(const Error& error) {
  for (const auto& [name, value] : error.details) {
    if (name == "key" && !value.empty()) return "pod." + value;
  }
  return "pod";
}

}  // namespace

PodFields MergePodFields(const Value& plain, const Value& pod) {
  if (pod.IsNull()) return {plain, {}};
  if (auto misplaced = Misplaced(pod); !misplaced.empty()) return {plain, std::move(misplaced)};
  auto merged = StrategicMerge(plain, pod);
  if (!merged) return {plain, {{KeyOf(merged.error()), merged.error().message}}};
  auto problems = Inspection(plain, *merged, pod).Inspect();
  return {*std::move(merged), std::move(problems)};
}

Result<Value> WithPodFields(const Value& plain, const Value& pod) {
  PodFields fields = MergePodFields(plain, pod);
  if (fields.problems.empty()) return std::move(fields.merged);
  std::vector<std::string> lines;
  lines.reserve(fields.problems.size());
  for (const auto& problem : fields.problems) lines.push_back(problem.key + ": " + problem.reason);
  return Fail(ErrorCode::kInvalidArgument, Join(lines, "\n"));
}

}  // namespace kinetic::backend
