#include "jobspec/read/context.h"
#include "jobspec/read/job_file.h"

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

void ReadBundle(const YamlNode& root, const ReadContext& context, BundleSpec& bundle) {
  const YamlNode* node = Find(root, "bundle");
  if (node == nullptr) return;
  const YamlNode* folder = Find(*node, "root");
  if (folder != nullptr && TextOf(folder)) bundle.root = context.AbsolutePath(*folder);
  if (const auto* exclude = Find(*node, "exclude")) bundle.exclude = TextsOf(exclude);
  bundle.default_excludes = BoolOf(Find(*node, "default_excludes")).value_or(true);
}

}  // namespace

JobSpec ReadJob(const YamlNode& root, ReadContext& context) {
  JobSpec spec;
  spec.directory = context.file_directory;
  spec.name = TextOf(Find(root, "name")).value_or("");
  ReadWork(root, context, spec);
  ReadBundle(root, context, spec.bundle);
  ReadEnvironment(root, context, spec);
  ReadPlacement(root, context, spec);
  ReadLimits(root, context, spec);
  ReadArguments(root, context, spec);
  return spec;
}

}  // namespace kinetic::jobspec
