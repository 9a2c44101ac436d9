#include "documents.h"

#include "kinetic/version.h"

#include "commands/tasks/counts.h"
#include "exit_code.h"
#include "output/text.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

Value MaybeTime(const std::optional<Time>& time) {
  return time ? Value(FormatTime(*time)) : Value();
}

template <typename Items, typename Convert>
Value ListOf(const Items& items, const Convert& convert) {
  Value::List list;
  for (const auto& item : items) list.push_back(convert(item));
  return list;
}

Value Strings(const std::vector<std::string>& strings) {
  return ListOf(strings, [](const std::string& text) { return Value(text); });
}

Value TextsDocument(const std::map<std::string, std::string>& texts) {
  Value::Map map;
  for (const auto& [name, text] : texts) map.emplace_back(name, Value(text));
  return map;
}

Value ExceptionDocument(const RemoteException& exception) {
  return Value::Map{{"type", exception.type},
                    {"message", exception.message},
                    {"traceback", ListOf(exception.traceback,
                                         [](const Frame& frame) {
                                           return Value(Value::Map{{"file", frame.file},
                                                                   {"line", frame.line},
                                                                   {"function", frame.function},
                                                                   {"code", frame.code}});
                                         })},
                    {"relation", exception.relation},
                    {"cause", exception.cause ? ExceptionDocument(*exception.cause) : Value()}};
}

/// Returns a whole number without a fraction.
Value MetricDocument(double number) {
  constexpr double kLargestExact = 9007199254740992;  // 2^53
  const bool is_whole = std::trunc(number) == number && std::abs(number) <= kLargestExact;
  return is_whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
}

}  // namespace

std::string_view Name(Stream stream) {
  switch (stream) {
    case Stream::kStdout:
      return "stdout";
    case Stream::kStderr:
      return "stderr";
    case Stream::kSystem:
      return "system";
  }
  return "system";
}

std::string_view Name(BundleEntry::Type type) {
  switch (type) {
    case BundleEntry::Type::kFile:
      return "file";
    case BundleEntry::Type::kSymlink:
      return "symlink";
    case BundleEntry::Type::kEmptyFolder:
      return "folder";
  }
  return "file";
}

std::string_view Name(BundleChange::Kind kind) {
  switch (kind) {
    case BundleChange::Kind::kAdded:
      return "added";
    case BundleChange::Kind::kRemoved:
      return "removed";
    case BundleChange::Kind::kModified:
      return "modified";
  }
  return "modified";
}

std::string_view Name(AcceleratorKind kind) {
  switch (kind) {
    case AcceleratorKind::kCpu:
      return "cpu";
    case AcceleratorKind::kGpu:
      return "gpu";
    case AcceleratorKind::kTpu:
      return "tpu";
  }
  return "cpu";
}

Value TimelineDocument(const std::vector<std::pair<std::string, Time>>& timeline) {
  return ListOf(timeline, [](const auto& moment) {
    return Value(Value::Map{{"event", moment.first}, {"time", FormatTime(moment.second)}});
  });
}

Value ToDocument(const JobSummary& summary) {
  return Value::Map{{"id", summary.id},
                    {"name", summary.name},
                    {"owner", summary.owner},
                    {"target", summary.target},
                    {"kind", summary.function ? "function" : "run"},
                    {"accelerator", summary.accelerator.empty() ? "cpu" : summary.accelerator},
                    {"state", std::string(Name(summary.state))},
                    {"reason", summary.reason},
                    {"created", FormatTime(summary.created)},
                    {"started", MaybeTime(summary.started)},
                    {"finished", MaybeTime(summary.finished)},
                    {"attempt", Number(summary.attempt)},
                    {"tasks", summary.tasks ? CountsDocument(*summary.tasks) : Value()},
                    {"args", Strings(summary.arguments)},
                    {"tags", TextsDocument(summary.tags)}};
}

Value ToStateDocument(const JobSummary& summary, const Outcome& outcome) {
  Value document = ToDocument(summary);
  document.Set("state", std::string(Name(outcome.state)));
  document.Set("reason", outcome.reason);
  document.Set("attempt", Number(outcome.attempt));
  if (outcome.tasks) document.Set("tasks", CountsDocument(*outcome.tasks));
  document.Set("exit_code", outcome.exit_code);
  document.Set("exit_source", std::string(Name(outcome.exit_source)));
  document.Set("phase", std::string(Name(outcome.phase)));
  document.Set("metrics", MetricsDocument(outcome.metrics));
  document.Set("exception", outcome.exception ? ExceptionDocument(*outcome.exception) : Value());
  document.Set("timeline", TimelineDocument(outcome.timeline));
  return document;
}

Value ToDocument(const JobSummary& summary, const Outcome& outcome) {
  Value document = ToStateDocument(summary, outcome);
  document.Set("value", outcome.value);
  return document;
}

Value ToDocument(const std::string& job_id, const Explanation& explanation) {
  const auto evidence = [](const Evidence& each) {
    return Value(Value::Map{{"source", each.source},
                            {"text", each.text},
                            {"first", MaybeTime(each.first)},
                            {"last", MaybeTime(each.last)},
                            {"count", Number(each.count)}});
  };
  const auto node = [](const NearNode& each) {
    return Value(Value::Map{{"name", each.name}, {"lacks", Strings(each.lacks)}});
  };
  return Value::Map{{"id", job_id},
                    {"state", std::string(Name(explanation.state))},
                    {"phase", std::string(Name(explanation.phase))},
                    {"cause", std::string(Name(explanation.cause))},
                    {"headline", explanation.headline},
                    {"progress", explanation.progress},
                    {"evidence", ListOf(explanation.evidence, evidence)},
                    {"advice", explanation.advice},
                    {"near_nodes", ListOf(explanation.near_nodes, node)},
                    {"blocked_by", Strings(explanation.blocked_by)},
                    {"since", MaybeTime(explanation.since)},
                    {"final", explanation.final}};
}

Value ToDocument(const LogRecord& record) {
  return Value::Map{{"sequence", Number(record.sequence)},
                    {"attempt", Number(record.attempt)},
                    {"stream", std::string(Name(record.stream))},
                    {"time", FormatTime(record.time)},
                    {"text", std::string(record.text)}};
}

Value MetricsDocument(const Metrics& numbers) {
  Value::Map map;
  for (const auto& [name, number] : numbers) map.emplace_back(name, MetricDocument(number));
  return map;
}

Value MetricsDocument(const std::vector<MetricSummary>& summary) {
  Value::Map map;
  for (const MetricSummary& metric : summary)
    map.emplace_back(metric.name, Value::Map{{"last", MetricDocument(metric.last)},
                                             {"min", MetricDocument(metric.min)},
                                             {"max", MetricDocument(metric.max)},
                                             {"count", Number(metric.count)}});
  return map;
}

Value ToDocument(const MetricRow& row) {
  return Value::Map{{"sequence", Number(row.sequence)},
                    {"attempt", Number(row.attempt)},
                    {"time", FormatTime(row.time)},
                    {"metrics", MetricsDocument(row.numbers)}};
}

Value ToDocument(const BundleListing& listing) {
  return Value::Map{
      {"root", listing.root.string()},
      {"root_reason", listing.root_reason},
      {"total_bytes", Number(listing.total_bytes)},
      {"entries", ListOf(listing.entries,
                         [](const BundleEntry& entry) {
                           return Value(Value::Map{{"path", entry.path},
                                                   {"type", std::string(Name(entry.type))},
                                                   {"executable", entry.executable},
                                                   {"size_bytes", Number(entry.size_bytes)},
                                                   {"link_target", entry.link_target}});
                         })},
      {"warnings", Strings(listing.warnings)}};
}

Value ToDocument(const BundleDifference& difference) {
  return Value::Map{{"since", difference.since},
                    {"old_digest", difference.old_digest},
                    {"new_digest", difference.new_digest},
                    {"changes", ListOf(difference.changes, [](const BundleChange& change) {
                       return Value(Value::Map{{"change", std::string(Name(change.kind))},
                                               {"path", change.path},
                                               {"size_bytes", Number(change.size_bytes)}});
                     })}};
}

Value ToDocument(const EnvironmentLock& lock) {
  return Value::Map{{"manifest_key", lock.manifest_key},
                    {"id", lock.id},
                    {"python", lock.python},
                    {"resolved_at", FormatTime(lock.resolved_at)},
                    {"from_cache", lock.from_cache},
                    {"packages", ListOf(lock.packages, [](const LockedPackage& package) {
                       return Value(Value::Map{{"name", package.name},
                                               {"version", package.version},
                                               {"hashes", Strings(package.hashes)}});
                     })}};
}

Value ToDocument(const EnvironmentImage& image) {
  return Value::Map{{"reference", image.reference},
                    {"tag", image.tag},
                    {"key", image.key},
                    {"base", image.base},
                    {"base_digest", image.base_digest},
                    {"python", image.python},
                    {"packages", Number(image.packages)},
                    {"size_bytes", Number(image.size_bytes)}};
}

Value ToDocument(const EnvironmentSummary& environment) {
  return Value::Map{{"id", environment.id},
                    {"python", environment.python},
                    {"packages", Number(environment.packages)},
                    {"size_bytes", Number(environment.size_bytes)},
                    {"shared_bytes", Number(environment.shared_bytes)},
                    {"built_at", FormatTime(environment.built_at)},
                    {"last_used", FormatTime(environment.last_used)},
                    {"location", environment.location.string()},
                    {"jobs", Strings(environment.jobs)},
                    {"damage", TextOrNull(environment.damage)}};
}

Value ToDocument(const std::vector<PackageOrigin>& origins) {
  return Value::Map{{"packages", ListOf(origins, [](const PackageOrigin& origin) {
                       return Value(Value::Map{{"name", origin.name},
                                               {"version", origin.version},
                                               {"index", origin.index},
                                               {"required_by", Strings(origin.required_by)},
                                               {"requirement", origin.requirement}});
                     })}};
}

Value ToDocument(const Dataset& data) {
  return Value::Map{{"name", data.name},
                    {"tree", data.tree},
                    {"file", data.file},
                    {"files", Number(data.files)},
                    {"size_bytes", Number(data.size_bytes)},
                    {"stored", FormatTime(data.stored)},
                    {"owner", data.owner},
                    {"source", data.source}};
}

Value ToDocument(const EnvironmentExplanation& explanation) {
  Value::Map inputs;
  for (const auto& [name, value] : explanation.inputs) inputs.emplace_back(name, value);
  return Value::Map{
      {"manifest_key", explanation.manifest_key},
      {"inputs", std::move(inputs)},
      {"lock", explanation.lock ? ToDocument(*explanation.lock) : Value()},
      {"built", explanation.built},
      {"location", explanation.location.string()},
      {"tree", explanation.tree},
      {"image", explanation.image},
      {"since", explanation.since},
      {"changes", ListOf(explanation.changes, [](const EnvironmentExplanation::Change& change) {
         return Value(
             Value::Map{{"input", change.input}, {"before", change.before}, {"now", change.now}});
       })}};
}

Value ToDocument(const Plan& plan) {
  return Value::Map{{"target", plan.target},
                    {"tree_digest", plan.tree_digest},
                    {"bundle", ToDocument(plan.bundle)},
                    {"environment", ToDocument(plan.environment)},
                    {"record", plan.record},
                    {"objects", Strings(plan.objects)},
                    {"manifests", Value::List(plan.manifests)},
                    {"not_applied", Strings(plan.not_applied)}};
}

Value ToDocument(const GarbageReport& report) {
  return Value::Map{
      {"classes", ListOf(report.classes,
                         [](const GarbageReport::Class& entry) {
                           return Value(Value::Map{{"name", entry.name},
                                                   {"removed", Number(entry.removed)},
                                                   {"removed_bytes", Number(entry.removed_bytes)},
                                                   {"kept", Number(entry.kept)},
                                                   {"kept_bytes", Number(entry.kept_bytes)},
                                                   {"why_kept", TextOrNull(entry.why_kept)}});
                         })},
      {"removed", Strings(report.removed)},
      {"warnings", Strings(report.warnings)}};
}

Value ToDocument(const Accelerator& accelerator) {
  return Value::Map{{"name", accelerator.name},
                    {"kind", std::string(Name(accelerator.kind))},
                    {"generation", accelerator.generation},
                    {"chips", Number(accelerator.chips)},
                    {"hosts", Number(accelerator.hosts)},
                    {"topology", accelerator.topology},
                    {"machine_type", accelerator.machine_type},
                    {"node_label", accelerator.node_label}};
}

Value VersionDocument() {
  return Value::Map{{"version", KINETIC_VERSION}, {"library", std::string(Version())}};
}

}  // namespace kinetic::cli
