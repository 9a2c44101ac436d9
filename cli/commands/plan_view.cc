#include "commands/plan_view.h"

#include "context.h"
#include "documents.h"
#include "output/format.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {
namespace {

void Heading(std::string_view text, Output& output) {
  output.Line(output.AnswerStyle().Paint(Role::kStrong, text));
}

void Field(std::string_view name, std::string_view value, Output& output) {
  output.Line(fmt::format("  {:<13} {}", name, value.empty() ? "-" : OneLine(value)));
}

void Names(std::string_view heading, const std::vector<std::string>& names, Output& output) {
  if (names.empty()) return;
  Heading(heading, output);
  for (const std::string& name : names) output.Line("  " + OneLine(name));
}

std::string LockSummary(const EnvironmentLock& lock) {
  const auto age = std::chrono::system_clock::now() - lock.resolved_at;
  return fmt::format("{} {}, resolved {} ago", lock.packages.size(),
                     lock.packages.size() == 1 ? "package" : "packages", FormatAge(age));
}

std::string BuiltText(const EnvironmentExplanation& environment) {
  if (!environment.built) return "no";
  if (!environment.image.empty()) return "in the image " + environment.image;
  if (environment.tree.empty()) return environment.location.string();
  return "in the store, tree " + environment.tree;
}

void EnvironmentFields(const EnvironmentExplanation& environment, Output& output) {
  if (environment.manifest_key.empty()) return output.Line("  none: the Python that is there");
  Field("manifest key", environment.manifest_key, output);
  Field("lock", environment.lock ? LockSummary(*environment.lock) : "not resolved yet", output);
  if (environment.lock) Field("id", environment.lock->id, output);
  Field("built", BuiltText(environment), output);
}

}  // namespace

void ShowPlan(const Plan& plan, Context& context) {
  Output& output = context.output;
  if (output.IsJson()) return output.Document(ToDocument(plan));
  Heading("Target", output);
  output.Line("  " + plan.target);
  Heading("Bundle", output);
  Field("root", fmt::format("{} ({})", plan.bundle.root.string(), plan.bundle.root_reason), output);
  Field("content",
        fmt::format("{} {}, {}", plan.bundle.entries.size(),
                    plan.bundle.entries.size() == 1 ? "entry" : "entries",
                    FormatBytes(plan.bundle.total_bytes)),
        output);
  Field("tree", plan.tree_digest, output);
  Heading("Environment", output);
  EnvironmentFields(plan.environment, output);
  Heading("Record", output);
  output.Line(plan.record.ToJson(true));
  Names("Objects that would be written", plan.objects, output);
  if (!plan.manifests.empty()) Heading("Objects that would be created in the cluster", output);
  for (const Value& manifest : plan.manifests) output.Line(manifest.ToJson(true));
  Names("Keys without effect on this target", plan.not_applied, output);
  for (const std::string& warning : plan.bundle.warnings) output.Warn(warning);
  output.Note("nothing was sent");
}

void ShowEnvironment(const EnvironmentExplanation& environment, Context& context) {
  Output& output = context.output;
  if (output.IsJson()) return output.Document(ToDocument(environment));
  Heading("Environment", output);
  EnvironmentFields(environment, output);
  if (!environment.inputs.empty()) {
    Heading("Inputs", output);
    for (const auto& [name, value] : environment.inputs) Field(name, value, output);
  }
  if (environment.since.empty()) return;
  if (environment.changes.empty())
    return output.Line(fmt::format("The same as job {} had.", environment.since));
  Heading(fmt::format("Changed since job {}", environment.since), output);
  for (const auto& change : environment.changes)
    Field(change.input,
          fmt::format("{} -> {}", change.before.empty() ? "(none)" : change.before,
                      change.now.empty() ? "(none)" : change.now),
          output);
}

void ShowLock(const EnvironmentLock& lock, Context& context) {
  Output& output = context.output;
  if (output.IsJson()) return output.Document(ToDocument(lock));
  Table table{.headings = {"PACKAGE", "VERSION"}};
  for (const LockedPackage& package : lock.packages)
    table.rows.push_back({package.name, package.version});
  output.Show(table);
  output.Note(fmt::format("{}, {} for Python {}", LockSummary(lock),
                          lock.from_cache ? "from the store" : "resolved now", lock.python));
}

}  // namespace kinetic::cli
