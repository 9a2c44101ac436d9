#include "jobspec/read/context.h"
#include "jobspec/read/job_file.h"

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

void ReadName(const YamlNode& root, const ReadContext& context, JobSpec& spec) {
  const YamlNode* node = Find(root, "name");
  spec.name = TextOf(node).value_or("");
  if (spec.name != kLatestJob) return;
  context.diagnostics.Add(*node,
                          "name: found latest, which selects the newest job; choose another");
}

void ReadBundle(const YamlNode& root, const ReadContext& context, BundleSpec& bundle) {
  const YamlNode* node = Find(root, "bundle");
  if (node == nullptr) return;
  const YamlNode* folder = Find(*node, "root");
  if (folder != nullptr && TextOf(folder)) bundle.root = context.AbsolutePath(*folder);
  if (const auto* exclude = Find(*node, "exclude")) bundle.exclude = TextsOf(exclude);
  bundle.default_excludes = BoolOf(Find(*node, "default_excludes")).value_or(true);
}

/// A command of the command line runs in the caller's folder, even with a job file.
void ReadWorkdir(const YamlNode& root, const ReadContext& context, JobSpec& spec) {
  if (const auto folder = TextOf(Find(root, "workdir"))) {
    spec.workdir = Path(*folder).lexically_normal();
    if (!spec.workdir.has_filename()) spec.workdir = spec.workdir.parent_path();
  } else if (!context.options.command.empty()) {
    spec.workdir = context.options.directory;
  }
}

}  // namespace

JobSpec ReadJob(const YamlNode& root, ReadContext& context) {
  JobSpec spec;
  spec.directory = context.file_directory;
  ReadName(root, context, spec);
  ReadWork(root, context, spec);
  ReadBundle(root, context, spec.bundle);
  ReadWorkdir(root, context, spec);
  ReadEnvironment(root, context, spec);
  ReadPlacement(root, context, spec);
  ReadLimits(root, context, spec);
  ReadArguments(root, context, spec);
  ReadArray(root, context, spec);
  ReadTags(root, context, spec);
  return spec;
}

}  // namespace kinetic::jobspec
