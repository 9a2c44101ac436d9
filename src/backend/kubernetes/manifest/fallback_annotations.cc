#include "backend/kubernetes/manifest/fallback_annotations.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/hash/digest.h"
#include "base/strings.h"
#include "base/time/clock.h"

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

Value ToValue(const FallbackAccelerator& fallback) {
  Value value = Value::Map{{"accelerator", fallback.accelerator}};
  if (fallback.timeout) value.Set("timeout_milliseconds", std::int64_t{fallback.timeout->count()});
  value.Set("template", fallback.pod_template);
  return value;
}

Value ToValue(const FailedAccelerator& failed) {
  return Value::Map{{"accelerator", failed.accelerator},
                    {"reason", failed.reason},
                    {"until", FormatTime(failed.until)}};
}

std::optional<Milliseconds> TimeoutIn(const Value& fallback) {
  const auto count = IntAt(fallback, {"timeout_milliseconds"});
  return count ? std::optional(Milliseconds(*count)) : std::nullopt;
}

/// Returns the annotations that a Job keeps when it is created for another accelerator.
Value::Map KeptAnnotations(const Value& job) {
  constexpr std::array kOwn = {kSpecAnnotation,
                               kAcceleratorAnnotation,
                               kFallbacksAnnotation,
                               kFallbackTimeoutAnnotation,
                               kFailedAcceleratorsAnnotation,
                               kSubmittedAnnotation};
  Value::Map kept;
  for (const auto& [name, value] : MapAt(job, {"metadata", "annotations"})) {
    const bool ours = name.starts_with("kinetic.dev/");
    if (ours && std::ranges::find(kOwn, name) == kOwn.end()) kept.emplace_back(name, value);
  }
  return kept;
}

Value::Map AnnotationsForNext(const Value& job, const Value& fallback, Value::List later,
                              const FailedAccelerator& last) {
  Value::Map annotations = KeptAnnotations(job);
  const auto add = [&](std::string_view name, std::string text) {
    annotations.emplace_back(std::string(name), std::move(text));
  };
  add(kAcceleratorAnnotation, std::string(TextAt(fallback, {"accelerator"})));
  if (const auto timeout = TimeoutIn(fallback)) {
    add(kFallbackTimeoutAnnotation, std::to_string(timeout->count()));
  }
  if (!later.empty()) add(kFallbacksAnnotation, Value(std::move(later)).ToJson());
  Value::List failed = ListIn(job, kFailedAcceleratorsAnnotation);
  failed.push_back(ToValue(last));
  add(kFailedAcceleratorsAnnotation, Value(std::move(failed)).ToJson());
  if (const auto submitted = SubmittedAt(job)) add(kSubmittedAnnotation, FormatTime(*submitted));
  return annotations;
}

Value SpecForNext(const Value& job, const Value& fallback) {
  Value::Map spec;
  for (const auto& [name, value] : MapAt(job, {"spec"})) {
    if (std::ranges::find(kNotKept, name) == kNotKept.end()) spec.emplace_back(name, value);
  }
  spec.emplace_back("template", *fallback.Find("template"));
  Value next = std::move(spec);
  // Kueue may have admitted the previous Job, and must admit this one too.
  if (At(job, {"metadata", "labels", kQueueLabel}) != nullptr) next.Set("suspend", true);
  return next;
}

}  // namespace

void AnnotateFallbacks(Value::Map& annotations, std::optional<Milliseconds> timeout,
                       const std::vector<FallbackAccelerator>& later) {
  if (timeout) {
    annotations.emplace_back(std::string(kFallbackTimeoutAnnotation),
                             std::to_string(timeout->count()));
  }
  if (later.empty()) return;
  Value::List list;
  for (const FallbackAccelerator& fallback : later) list.push_back(ToValue(fallback));
  annotations.emplace_back(std::string(kFallbacksAnnotation), Value(std::move(list)).ToJson());
}

std::string NextAccelerator(const Value& job) {
  const Value::List left = ListIn(job, kFallbacksAnnotation);
  return left.empty() ? std::string() : std::string(TextAt(left.front(), {"accelerator"}));
}

std::optional<Milliseconds> FallbackTimeoutOf(const Value& job) {
  const auto count = ParseInt(AnnotationAt(job, kFallbackTimeoutAnnotation));
  return count ? std::optional(Milliseconds(*count)) : std::nullopt;
}

std::vector<FailedAccelerator> FailedAccelerators(const Value& job) {
  std::vector<FailedAccelerator> before;
  for (const Value& item : ListIn(job, kFailedAcceleratorsAnnotation)) {
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

Result<Value> MakeNextJob(const Value& job, std::string_view reason, WallTime now) {
  Value::List left = ListIn(job, kFallbacksAnnotation);
  if (left.empty() || left.front().Find("template") == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition,
                "Job " + std::string(NameOf(job)) + " has no other accelerator left");
  }
  const Value fallback = std::move(left.front());
  left.erase(left.begin());
  const FailedAccelerator last{
      .accelerator = std::string(AnnotationAt(job, kAcceleratorAnnotation)),
      .reason = std::string(reason.substr(0, kLongestReason)),
      .until = now};
  Value::Map annotations = AnnotationsForNext(job, fallback, std::move(left), last);
  const Value spec = SpecForNext(job, fallback);
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
