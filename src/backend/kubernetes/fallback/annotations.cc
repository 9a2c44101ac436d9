#include "backend/kubernetes/fallback/annotations.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/object_fields.h"
#include "base/hash/digest.h"
#include "base/strings.h"
#include "base/time/timestamp.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::backend {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// Keeps all reasons together far below the size limit of annotations.
constexpr std::size_t kLongestReason = 300;
/// Fields that the server adds to a Job's specification, and the old template.
constexpr std::array<std::string_view, 3> kNotKept = {"selector", "manualSelector", "template"};

Value::List ListIn(const Value& job, std::string_view annotation) {
  auto list = Value::FromJson(AnnotationAt(job, annotation));
  if (!list || list->AsList() == nullptr) return {};
  return std::move(*list->AsList());
}

Value ToValue(const Choice& choice) {
  Value value = Value::Map{{"accelerator", choice.accelerator}};
  if (choice.patience) value.Set("patience_milliseconds", std::int64_t{choice.patience->count()});
  value.Set("template", choice.pod_template);
  return value;
}

Value ToValue(const Tried& tried) {
  return Value::Map{{"accelerator", tried.accelerator},
                    {"reason", tried.reason},
                    {"until", FormatTime(tried.until)}};
}

std::optional<Milliseconds> PatienceIn(const Value& choice) {
  const auto count = IntAt(choice, {"patience_milliseconds"});
  return count ? std::optional(Milliseconds(*count)) : std::nullopt;
}

/// Returns the annotations that a Job keeps when it is created for another accelerator.
Value::Map KeptAnnotations(const Value& job) {
  constexpr std::array kOwn = {kSpecAnnotation,     kAcceleratorAnnotation, kChoicesAnnotation,
                               kPatienceAnnotation, kTriedAnnotation,       kSubmittedAnnotation};
  Value::Map kept;
  for (const auto& [name, value] : MapAt(job, {"metadata", "annotations"})) {
    const bool ours = name.starts_with("kinetic.dev/");
    if (ours && std::ranges::find(kOwn, name) == kOwn.end()) kept.emplace_back(name, value);
  }
  return kept;
}

Value::Map AnnotationsForNext(const Value& job, const Value& choice, Value::List later,
                              const Tried& last) {
  Value::Map annotations = KeptAnnotations(job);
  const auto add = [&](std::string_view name, std::string text) {
    annotations.emplace_back(std::string(name), std::move(text));
  };
  add(kAcceleratorAnnotation, std::string(TextAt(choice, {"accelerator"})));
  if (const auto patience = PatienceIn(choice)) {
    add(kPatienceAnnotation, std::to_string(patience->count()));
  }
  if (!later.empty()) add(kChoicesAnnotation, Value(std::move(later)).ToJson());
  Value::List tried = ListIn(job, kTriedAnnotation);
  tried.push_back(ToValue(last));
  add(kTriedAnnotation, Value(std::move(tried)).ToJson());
  if (const auto submitted = SubmittedAt(job)) add(kSubmittedAnnotation, FormatTime(*submitted));
  return annotations;
}

Value SpecForNext(const Value& job, const Value& choice) {
  Value::Map spec;
  for (const auto& [name, value] : MapAt(job, {"spec"})) {
    if (std::ranges::find(kNotKept, name) == kNotKept.end()) spec.emplace_back(name, value);
  }
  spec.emplace_back("template", *choice.Find("template"));
  Value wanted = std::move(spec);
  // Kueue may have admitted the previous Job, and must admit this one too.
  if (At(job, {"metadata", "labels", kQueueLabel}) != nullptr) wanted.Set("suspend", true);
  return wanted;
}

}  // namespace

void AnnotateChoices(Value::Map& annotations, std::optional<Milliseconds> patience,
                     const std::vector<Choice>& later) {
  if (patience) {
    annotations.emplace_back(std::string(kPatienceAnnotation), std::to_string(patience->count()));
  }
  if (later.empty()) return;
  Value::List list;
  for (const Choice& choice : later) list.push_back(ToValue(choice));
  annotations.emplace_back(std::string(kChoicesAnnotation), Value(std::move(list)).ToJson());
}

std::string NextAccelerator(const Value& job) {
  const Value::List left = ListIn(job, kChoicesAnnotation);
  return left.empty() ? std::string() : std::string(TextAt(left.front(), {"accelerator"}));
}

std::optional<Milliseconds> PatienceOf(const Value& job) {
  const auto count = ParseInt(AnnotationAt(job, kPatienceAnnotation));
  return count ? std::optional(Milliseconds(*count)) : std::nullopt;
}

std::vector<Tried> TriedBefore(const Value& job) {
  std::vector<Tried> before;
  for (const Value& item : ListIn(job, kTriedAnnotation)) {
    before.push_back({.accelerator = std::string(TextAt(item, {"accelerator"})),
                      .reason = std::string(TextAt(item, {"reason"})),
                      .until = TimeAt(item, {"until"}).value_or(WallTime())});
  }
  return before;
}

std::optional<WallTime> SubmittedAt(const Value& job) {
  const auto first = ParseTime(AnnotationAt(job, kSubmittedAnnotation));
  return first ? first : TimeAt(job, {"metadata", "creationTimestamp"});
}

Result<Value> JobForNext(const Value& job, std::string_view reason, WallTime now) {
  Value::List left = ListIn(job, kChoicesAnnotation);
  if (left.empty() || left.front().Find("template") == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition,
                "Job " + std::string(NameOf(job)) + " has no other accelerator left");
  }
  const Value choice = std::move(left.front());
  left.erase(left.begin());
  const Tried last{.accelerator = std::string(AnnotationAt(job, kAcceleratorAnnotation)),
                   .reason = std::string(reason.substr(0, kLongestReason)),
                   .until = now};
  Value::Map annotations = AnnotationsForNext(job, choice, std::move(left), last);
  const Value spec = SpecForNext(job, choice);
  const std::string digest = Sha256::Of(Value(annotations).ToJson() + spec.ToJson()).Hex();
  annotations.emplace_back(std::string(kSpecAnnotation), digest);
  return Value(Value::Map{
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", Value::Map{{"name", std::string(NameOf(job))},
                              {"namespace", std::string(TextAt(job, {"metadata", "namespace"}))},
                              {"labels", MapAt(job, {"metadata", "labels"})},
                              {"annotations", std::move(annotations)}}},
      {"spec", spec}});
}

}  // namespace kinetic::backend
