#include "base/strings.h"
#include "jobspec/read/context.h"
#include "jobspec/schema/shape.h"
#include "jobspec/schema/variable_names.h"

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

void ReadDependencies(const YamlNode& node, const ReadContext& context,
                      DependencySpec& dependencies) {
  dependencies.none = node.kind != YamlNode::Kind::kMap && !TextOf(&node);
  if (TextOf(&node)) dependencies.file = context.AbsolutePath(node);
  const YamlNode* file = Find(node, "file");
  if (file != nullptr && TextOf(file)) dependencies.file = context.AbsolutePath(*file);
  dependencies.extras = TextsOf(Find(node, "extras"));
  dependencies.groups = TextsOf(Find(node, "groups"));
}

void ReadImage(const YamlNode& root, const ReadContext& context, JobSpec& spec) {
  const YamlNode* node = Find(root, "image");
  if (node == nullptr) return;
  if (const auto uri = TextOf(node)) spec.image = ImageSpec{*uri, {}, {}};
  const YamlNode* dockerfile = Find(*node, "dockerfile");
  if (dockerfile != nullptr && TextOf(dockerfile)) {
    spec.image = ImageSpec{{}, context.AbsolutePath(*dockerfile), {}};
    const YamlNode* folder = Find(*node, "context");
    if (folder != nullptr && TextOf(folder)) spec.image->context = context.AbsolutePath(*folder);
  }
  if (!spec.image) return;
  const YamlNode* dependencies = Find(root, "dependencies");
  if (dependencies != nullptr && !spec.dependencies.none) {
    context.diagnostics.Add(*dependencies,
                            "dependencies: cannot be combined with `image`, which has its own "
                            "packages; set `dependencies: null`");
  }
  const YamlNode* python = Find(root, "python");
  if (python != nullptr && TextOf(python)) {
    context.diagnostics.Add(
        *python, "python: cannot be combined with `image`, which has its own Python; remove it");
  }
}

void AddVariable(const std::string& name, std::string text, const YamlNode& value,
                 const ReadContext& context, JobSpec& spec) {
  if (text.find('\0') != std::string::npos) {
    context.diagnostics.Add(value, "env." + name + ": contains a NUL character");
  }
  if (!IsUtf8(text)) {
    context.diagnostics.Add(value, "env." + name + ": " + std::string(kNotUtf8));
  }
  if (name == kCheckDevicesVariable && text != "yes" && text != "no") {
    context.diagnostics.Add(value,
                            "env." + name + ": found " + Printable(text) + ", expected yes or no");
  }
  spec.env.insert_or_assign(name, std::move(text));
}

void ReadVariable(const YamlNode& key, const YamlNode& value, const ReadContext& context,
                  JobSpec& spec) {
  const std::string& name = key.text;
  if (!IsVariableName(name)) return;  // the schema reports it
  if (const Status allowed = CheckVariable(name); !allowed) {
    context.diagnostics.Add(key, allowed.error().message);
    return;
  }
  if (auto text = TextOf(&value, true)) {
    AddVariable(name, *std::move(text), value, context, spec);
    return;
  }
  if (value.kind == YamlNode::Kind::kList || value.kind == YamlNode::Kind::kMap) return;
  const auto found = context.options.environment.find(name);
  if (found == context.options.environment.end()) {
    const std::string_view null = value.line > 0 ? "null takes the caller's value, but " : "";
    context.diagnostics.Add(value, "env." + name + ": " + std::string(null) +
                                       "the variable is not set; set it or specify a value");
    return;
  }
  AddVariable(name, found->second, value, context, spec);
}

void ReadSecrets(const YamlNode* node, const ReadContext& context, JobSpec& spec) {
  spec.secrets = TextsOf(node);
  const auto clashes = [&](const std::string& name) {
    return "secrets: " + name + " is also in `env`; remove one of them";
  };
  const auto reserved = [&](const std::string& name) {
    return "secrets: " + name + " is reserved: kinetic sets KINETIC_*; use another name";
  };
  for (std::size_t i = 0; node != nullptr && i < node->items.size(); ++i) {
    const auto name = TextOf(&node->items[i]);
    if (name && IsReserved(*name)) context.diagnostics.Add(node->items[i], reserved(*name));
    if (name && spec.env.contains(*name)) context.diagnostics.Add(node->items[i], clashes(*name));
  }
  for (const auto& name : context.options.secrets) {
    const SourcePosition at{"--secret " + Printable(name), 0, 0};
    if (!IsSecretPattern(name)) {
      context.diagnostics.Add(at, "found " + Printable(name) +
                                      ", expected the name of an environment variable; * and ? are "
                                      "wildcards");
    } else if (IsReserved(name)) {
      context.diagnostics.Add(at, reserved(name));
    } else if (spec.env.contains(name)) {
      context.diagnostics.Add(at, clashes(name));
    }
    spec.secrets.push_back(name);
  }
}

}  // namespace

void ReadEnvironment(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  if (const auto* dependencies = Find(root, "dependencies")) {
    ReadDependencies(*dependencies, context, spec.dependencies);
  }
  spec.python = TextOf(Find(root, "python")).value_or("");
  ReadImage(root, context, spec);
  if (const auto* env = Find(root, "env")) {
    for (const auto& [key, value] : env->members) ReadVariable(key, value, context, spec);
  }
  ReadSecrets(Find(root, "secrets"), context, spec);
}

}  // namespace kinetic::jobspec
