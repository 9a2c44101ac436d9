#include "jobspec/serialize.h"

namespace kinetic::jobspec {
namespace {

/// Builds a JSON object; absent and empty values are omitted.
class Object {
 public:
  void Text(const char* key, const std::string& text) {
    if (!text.empty()) map_.emplace_back(key, Value(text));
  }
  void Texts(const char* key, const std::vector<std::string>& texts) {
    if (!texts.empty()) map_.emplace_back(key, Value(Value::List(texts.begin(), texts.end())));
  }
  void Bytes(const char* key, const std::optional<std::uint64_t>& bytes) {
    if (bytes) map_.emplace_back(key, Value(static_cast<std::int64_t>(*bytes)));
  }
  void Duration(const char* key, const std::optional<std::chrono::milliseconds>& duration) {
    if (duration) map_.emplace_back(key, Value(std::int64_t{duration->count()}));
  }
  void Any(const char* key, Value value) {
    if (!value.IsNull()) map_.emplace_back(key, std::move(value));
  }
  void Nested(const char* key, Object object) {
    if (!object.map_.empty()) map_.emplace_back(key, std::move(object).Take());
  }
  Value Take() && { return Value(std::move(map_)); }

 private:
  Value::Map map_;
};

std::string Relative(const std::filesystem::path& path, const std::filesystem::path& directory) {
  if (directory.empty() || path.is_relative()) return path.generic_string();
  return path.lexically_relative(directory).generic_string();
}

Value Run(const Command& command) {
  if (!command.shell.empty()) return Value(command.shell);
  return Value(Value::List(command.argv.begin(), command.argv.end()));
}

Value Args(const Arguments& args) {
  if (!args.positional.empty()) return Value(args.positional);
  if (!args.named.empty()) return Value(args.named);
  return {};
}

Object Bundle(const JobSpec& spec) {
  Object bundle;
  if (spec.bundle.root) bundle.Text("root", Relative(*spec.bundle.root, spec.directory));
  bundle.Texts("exclude", spec.bundle.exclude);
  if (!spec.bundle.default_excludes) bundle.Any("default_excludes", Value(false));
  return bundle;
}

Object Dependencies(const JobSpec& spec) {
  const DependencySpec& from = spec.dependencies;
  Object dependencies;
  if (from.file) dependencies.Text("file", Relative(*from.file, spec.directory));
  dependencies.Texts("extras", from.extras);
  dependencies.Texts("groups", from.groups);
  if (from.none) dependencies.Any("none", Value(true));
  return dependencies;
}

Object Image(const JobSpec& spec) {
  Object image;
  if (!spec.image) return image;
  image.Text("uri", spec.image->uri);
  if (!spec.image->dockerfile.empty()) {
    image.Text("dockerfile", Relative(spec.image->dockerfile, spec.directory));
  }
  if (!spec.image->context.empty()) {
    image.Text("context", Relative(spec.image->context, spec.directory));
  }
  return image;
}

Value Env(const JobSpec& spec) {
  if (spec.env.empty()) return {};
  Value::Map env;
  for (const auto& [name, value] : spec.env) env.emplace_back(name, Value(value));
  return Value(std::move(env));
}

Value Tags(const JobSpec& spec) {
  if (spec.tags.empty()) return {};
  Value::Map tags;
  for (const auto& [name, value] : spec.tags) tags.emplace_back(name, Value(value));
  return Value(std::move(tags));
}

Value Data(const JobSpec& spec) {
  if (spec.data.empty()) return {};
  Value::Map data;
  for (const auto& [path, source] : spec.data) {
    Value entry(Value::Map{{"source", Value(source.source)},
                           {"mode", Value(source.mount ? "mount" : "copy")}});
    if (source.follow_links) entry.Set("follow_links", Value(true));
    data.emplace_back(path, std::move(entry));
  }
  return Value(std::move(data));
}

Object ResourcesOf(const JobSpec& spec) {
  Object resources;
  if (spec.resources.cpu) resources.Any("cpu", Value(*spec.resources.cpu));
  resources.Bytes("memory", spec.resources.memory_bytes);
  resources.Bytes("disk", spec.resources.disk_bytes);
  resources.Bytes("shm", spec.resources.shm_bytes);
  return resources;
}

Value Array(const ArraySpec& array) {
  Object object;
  if (array.over.IsNull()) object.Any("count", Value(std::int64_t{array.count}));
  object.Any("over", array.over);
  if (array.parallel != 0) object.Any("parallel", Value(array.parallel));
  if (array.max_failed) object.Any("max_failed", Value(*array.max_failed));
  if (array.tasks_per_pod != 1) object.Any("tasks_per_pod", Value(array.tasks_per_pod));
  return std::move(object).Take();
}

Value Retry(const RetrySpec& retry) {
  Value::List on;
  if (retry.on_preempted) on.emplace_back("preempted");
  if (retry.on_infrastructure) on.emplace_back("infrastructure");
  for (const int code : retry.on_exit_codes) on.emplace_back("exit:" + std::to_string(code));
  return Value(
      Value::Map{{"attempts", Value(std::int64_t{retry.attempts})}, {"on", Value(std::move(on))}});
}

Object TimeoutsOf(const Timeouts& timeouts) {
  Object object;
  object.Duration("pending", timeouts.pending);
  object.Duration("run", timeouts.run);
  object.Duration("grace", timeouts.grace);
  return object;
}

}  // namespace

Value ToValue(const JobSpec& spec) {
  Object object;
  object.Text("name", spec.name);
  Value::List accelerators;
  for (const auto& accelerator : spec.accelerators) accelerators.emplace_back(accelerator.name);
  object.Any("accelerator", Value(std::move(accelerators)));
  if (spec.function) object.Text("function", spec.function->module + ":" + spec.function->callable);
  if (spec.run) object.Any("run", Run(*spec.run));
  object.Any("steps", spec.steps);
  object.Any("args", Args(spec.args));
  object.Nested("bundle", Bundle(spec));
  const std::string workdir = Relative(spec.workdir, spec.directory);
  if (workdir != ".") object.Text("workdir", workdir);
  object.Nested("dependencies", Dependencies(spec));
  object.Text("python", spec.python);
  object.Nested("image", Image(spec));
  object.Any("env", Env(spec));
  object.Texts("secrets", spec.secrets);
  object.Any("data", Data(spec));
  object.Nested("resources", ResourcesOf(spec));
  object.Any("spot", Value(spec.spot));
  if (spec.flex_start) object.Any("flex_start", Value(true));
  object.Text("reservation", spec.reservation);
  object.Any("slices", Value(std::int64_t{spec.slices}));
  if (spec.array) object.Any("array", Array(*spec.array));
  object.Any("retry", Retry(spec.retry));
  object.Nested("timeouts", TimeoutsOf(spec.timeouts));
  object.Text("max_cost", spec.max_cost);
  object.Text("queue", spec.queue);
  object.Any("pod", spec.pod);
  object.Text("target", spec.target);
  object.Any("tags", Tags(spec));
  return std::move(object).Take();
}

}  // namespace kinetic::jobspec
