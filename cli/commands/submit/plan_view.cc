#include "commands/submit/plan_view.h"

#include "commands/job/definition_view.h"
#include "context.h"
#include "documents.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {
namespace {

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

/// Returns the words of a list in a record, such as "secret_names".
std::vector<std::string> TextsIn(const Value* list) {
  std::vector<std::string> texts;
  if (list == nullptr || list->AsList() == nullptr) return texts;
  for (const Value& item : *list->AsList())
    if (item.AsString() != nullptr) texts.push_back(*item.AsString());
  return texts;
}

std::vector<std::string> KeysOf(const Value* map) {
  std::vector<std::string> keys;
  if (map == nullptr || map->AsMap() == nullptr) return keys;
  for (const auto& [key, value] : *map->AsMap()) keys.push_back(key);
  return keys;
}

std::string TextOf(const Value* value) {
  return value == nullptr || value->AsString() == nullptr ? std::string() : *value->AsString();
}

/// Returns what a job runs: "shop.prices:total", or its command.
std::string WorkOf(const Value& spec) {
  if (const Value* function = spec.Find("function")) return TextOf(function);
  const Value* run = spec.Find("run");
  if (run != nullptr && run->AsString() != nullptr) return *run->AsString();
  return fmt::format("{}", fmt::join(TextsIn(run), " "));
}

/// Returns text such as "2 packages: numpy 2.1.0, rich 13.9.2".
std::string PackagesText(const EnvironmentExplanation& environment) {
  constexpr std::size_t kNamed = 8;
  if (environment.manifest_key.empty()) return "none: uses the installed Python";
  if (!environment.lock) return "not resolved yet";
  const auto& packages = environment.lock->packages;
  if (packages.empty()) return "none";
  std::vector<std::string> names;
  for (const LockedPackage& package : packages) {
    if (names.size() == kNamed) break;
    names.push_back(package.name + " " + package.version);
  }
  if (packages.size() > kNamed) names.push_back(fmt::format("{} more", packages.size() - kNamed));
  return fmt::format("{} ({}): {}", packages.size(), environment.built ? "built" : "not built yet",
                     fmt::join(names, ", "));
}

void OptionalField(std::string_view name, const std::vector<std::string>& values, Output& output) {
  if (!values.empty()) ShowField(name, fmt::format("{}", fmt::join(values, ", ")), output);
}

void JobFields(const Plan& plan, const Value& spec, const JobSpec& job, Output& output) {
  ShowField("name", TextOf(spec.Find("name")), output);
  ShowField("runs", WorkOf(spec), output);
  const Value arguments(job.args.named);
  OptionalField("arguments", KeysOf(job.array ? &arguments : spec.Find("args")), output);
  const std::string folder = TextOf(spec.Find("workdir"));
  ShowField("in folder", folder.empty() ? "the root of the code" : folder, output);
  ShowField("target", plan.target, output);
  OptionalField("accelerator", TextsIn(spec.Find("accelerator")), output);
}

/// Shows the tasks of an array with the arguments of the first ones.
void TaskFields(const JobSpec& job, Output& output) {
  constexpr std::size_t kShown = 3;
  if (!job.array) return;
  ShowHeading("Tasks", output);
  ShowField("array", ArrayText(*job.array), output);
  const auto* sets = job.array->over.AsList();
  if (sets == nullptr) return;
  for (std::size_t task = 0; task < std::min(sets->size(), kShown); ++task)
    ShowField(fmt::format("task {}", task), ArgumentSetText((*sets)[task]), output);
  if (sets->size() > kShown) ShowField("…", fmt::format("{} more", sets->size() - kShown), output);
}

void CodeFields(const BundleListing& bundle, Output& output) {
  ShowField("root", fmt::format("{} ({})", bundle.root.string(), bundle.root_reason), output);
  const auto files =
      std::ranges::count(bundle.entries, BundleEntry::Type::kFile, &BundleEntry::type);
  ShowField("content", FormatFiles(static_cast<std::uint64_t>(files), bundle.total_bytes), output);
}

}  // namespace

void ShowPlan(const Plan& plan, const JobSpec& job, Context& context) {
  Output& output = context.output;
  if (output.IsJson()) return output.Document(ToDocument(plan));
  const Value* found = plan.record.Find("spec");
  const Value spec = found == nullptr ? Value(Value::Map()) : *found;
  ShowHeading("Job", output);
  JobFields(plan, spec, job, output);
  TaskFields(job, output);
  ShowHeading("Code", output);
  CodeFields(plan.bundle, output);
  ShowHeading("Environment", output);
  if (const Value* image = plan.record.Find("environment_image"))
    ShowField("image", TextOf(image), output);
  ShowField("packages", PackagesText(plan.environment), output);
  OptionalField("variables", KeysOf(spec.Find("env")), output);
  OptionalField("secrets", TextsIn(plan.record.Find("secret_names")), output);
  OptionalField("data", KeysOf(spec.Find("data")), output);
  OptionalField("no effect", plan.not_applied, output);
  if (!plan.manifests.empty()) ShowHeading("Objects in the cluster", output);
  for (const Value& manifest : plan.manifests) {
    const Value* metadata = manifest.Find("metadata");
    ShowField(TextOf(manifest.Find("kind")),
              metadata == nullptr ? "" : TextOf(metadata->Find("name")), output);
  }
  output.Note("nothing was submitted; --json prints the record, the files and the manifests");
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
  output.Note(fmt::format("{}{}, for Python {}", LockSummary(lock),
                          lock.from_cache ? ", from the store" : "", lock.python));
}

}  // namespace kinetic::cli
