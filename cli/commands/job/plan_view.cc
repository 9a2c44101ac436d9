#include "commands/job/plan_view.h"

#include "context.h"
#include "documents.h"
#include "output/text.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {
namespace {

void Names(std::string_view heading, const std::vector<std::string>& names, Output& output) {
  if (names.empty()) return;
  ShowHeading(heading, output);
  for (const std::string& name : names) output.Line("  " + name);
}

std::string BuiltText(const EnvironmentExplanation& environment) {
  if (!environment.built) return "no";
  if (!environment.image.empty()) return "in the image " + environment.image;
  if (environment.tree.empty()) return environment.location.string();
  return "in the store, tree " + environment.tree;
}

void EnvironmentFields(const EnvironmentExplanation& environment, Output& output) {
  if (environment.manifest_key.empty()) return output.Line("  none: uses the installed Python");
  ShowLockFields(environment, output);
  ShowField("built", BuiltText(environment), output);
}

}  // namespace

void ShowPlan(const Plan& plan, Context& context) {
  Output& output = context.output;
  if (output.IsJson()) return output.Document(ToDocument(plan));
  ShowHeading("Target", output);
  output.Line("  " + plan.target);
  ShowHeading("Bundle", output);
  ShowField("root", fmt::format("{} ({})", plan.bundle.root.string(), plan.bundle.root_reason),
            output);
  ShowField("content",
            fmt::format("{} {}, {}", plan.bundle.entries.size(),
                        plan.bundle.entries.size() == 1 ? "entry" : "entries",
                        FormatBytes(plan.bundle.total_bytes)),
            output);
  ShowField("tree", plan.tree_digest, output);
  ShowHeading("Environment", output);
  EnvironmentFields(plan.environment, output);
  ShowHeading("Record", output);
  output.Json(plan.record.ToJson(true));
  Names("Objects that would be stored", plan.objects, output);
  if (!plan.manifests.empty()) ShowHeading("Objects that would be created in the cluster", output);
  for (const Value& manifest : plan.manifests) output.Json(manifest.ToJson(true));
  Names("Keys without effect on this target", plan.not_applied, output);
  for (const std::string& warning : plan.bundle.warnings) output.Warn(warning);
  output.Note("nothing was submitted");
}

void ShowEnvironment(const EnvironmentExplanation& environment, Context& context) {
  Output& output = context.output;
  if (output.IsJson()) return output.Document(ToDocument(environment));
  ShowHeading("Environment", output);
  EnvironmentFields(environment, output);
  ShowInputs(environment, output);
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
