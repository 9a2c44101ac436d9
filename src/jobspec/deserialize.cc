#include "base/strings.h"
#include "jobspec/serialize.h"
#include "json/document.h"

#include <limits>

namespace kinetic::jobspec {
namespace {

using json::ObjectReader;

std::vector<std::string> Texts(ObjectReader& reader, std::string_view key) {
  std::vector<std::string> texts;
  for (const auto& item : reader.List(key)) {
    if (const auto* text = item.AsString()) {
      texts.push_back(*text);
    } else {
      reader.Reject(key, "expected strings, found " + std::string(json::KindOf(item)));
    }
  }
  return texts;
}

std::uint32_t Count(ObjectReader& reader, std::string_view key, std::uint32_t absent) {
  const auto number = reader.OptionalInt(key);
  if (!number) return absent;
  if (*number < 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
    reader.Reject(key, "is out of range");
    return absent;
  }
  return static_cast<std::uint32_t>(*number);
}

std::optional<std::uint64_t> SizeAt(ObjectReader& reader, std::string_view key) {
  const auto number = reader.OptionalInt(key);
  if (!number) return std::nullopt;
  if (*number < 0) reader.Reject(key, "is negative");
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::chrono::milliseconds> Duration(ObjectReader& reader, std::string_view key) {
  const auto number = reader.OptionalInt(key);
  if (!number) return std::nullopt;
  if (*number < 0) reader.Reject(key, "is negative");
  return std::chrono::milliseconds(*number);
}

Status ReadAccelerators(ObjectReader& reader, JobSpec& spec) {
  for (const auto& name : Texts(reader, "accelerator")) {
    auto accelerator = ParseAccelerator(name);
    if (!accelerator) {
      reader.Reject("accelerator", accelerator.error().message);
      break;
    }
    spec.accelerators.push_back(*std::move(accelerator));
  }
  return reader.Finish();
}

void DeserializeWork(ObjectReader& reader, JobSpec& spec) {
  if (const auto function = reader.OptionalString("function")) {
    const auto colon = function->find(':');
    if (colon == std::string::npos) {
      reader.Reject("function", "expected module:callable");
    } else {
      spec.function = {function->substr(0, colon), function->substr(colon + 1)};
    }
  }
  if (const Value* run = reader.Member("run")) {
    spec.run.emplace();
    if (const auto* shell = run->AsString()) {
      spec.run->shell = *shell;
    } else {
      spec.run->argv = Texts(reader, "run");
    }
  }
  if (const Value* steps = reader.Member("steps")) spec.steps = *steps;
  if (const Value* args = reader.Member("args")) {
    if (const auto* list = args->AsList()) {
      spec.args.positional = *list;
    } else {
      spec.args.named = reader.Map("args");
    }
  }
}

Status ReadBundle(const Value& value, BundleSpec& bundle) {
  ObjectReader reader(value, "spec: bundle");
  if (auto root = reader.OptionalString("root")) bundle.root = *std::move(root);
  bundle.exclude = Texts(reader, "exclude");
  bundle.default_excludes = reader.OptionalBool("default_excludes").value_or(true);
  return reader.Finish();
}

Status ReadDependencies(const Value& value, DependencySpec& dependencies) {
  ObjectReader reader(value, "spec: dependencies");
  if (auto file = reader.OptionalString("file")) dependencies.file = *std::move(file);
  dependencies.extras = Texts(reader, "extras");
  dependencies.groups = Texts(reader, "groups");
  dependencies.none = reader.OptionalBool("none").value_or(false);
  return reader.Finish();
}

Status ReadImage(const Value& value, std::optional<ImageSpec>& image) {
  ObjectReader reader(value, "spec: image");
  image = ImageSpec{reader.OptionalString("uri").value_or(""),
                    reader.OptionalString("dockerfile").value_or(""),
                    reader.OptionalString("context").value_or("")};
  return reader.Finish();
}

Status ReadTexts(const Value& value, const char* where, std::map<std::string, std::string>& texts) {
  ObjectReader reader(value, where);
  if (const auto* map = value.AsMap()) {
    for (const auto& member : *map) texts.emplace(member.first, reader.String(member.first));
  }
  return reader.Finish();
}

Status ReadEnv(const Value& value, std::map<std::string, std::string>& env) {
  return ReadTexts(value, "spec: env", env);
}

Status ReadTags(const Value& value, std::map<std::string, std::string>& tags) {
  return ReadTexts(value, "spec: tags", tags);
}

Status ReadData(const Value& value, std::map<std::string, DataSource>& data) {
  const ObjectReader outer(value, "spec: data");
  if (const auto* map = value.AsMap()) {
    for (const auto& [path, source] : *map) {
      ObjectReader reader(source, "spec: data: " + path);
      data.emplace(path, DataSource{reader.String("source"), reader.String("mode") == "mount",
                                    reader.OptionalBool("follow_links").value_or(false)});
      if (auto status = reader.Finish(); !status) return status;
    }
  }
  return outer.Finish();
}

Status ReadResources(const Value& value, Resources& resources) {
  ObjectReader reader(value, "spec: resources");
  if (reader.Has("cpu")) resources.cpu = reader.Number("cpu");
  resources.memory_bytes = SizeAt(reader, "memory");
  resources.disk_bytes = SizeAt(reader, "disk");
  resources.shm_bytes = SizeAt(reader, "shm");
  return reader.Finish();
}

Status ReadArray(const Value& value, std::optional<ArraySpec>& array) {
  ObjectReader reader(value, "spec: array");
  array.emplace();
  if (const Value* over = reader.Member("over")) {
    array->over = *over;
    if (const auto* list = over->AsList()) array->count = static_cast<std::uint32_t>(list->size());
  } else {
    array->count = Count(reader, "count", 0);
  }
  array->parallel = Count(reader, "parallel", 0);
  if (reader.Has("max_failed")) array->max_failed = Count(reader, "max_failed", 0);
  array->tasks_per_pod = Count(reader, "tasks_per_pod", 1);
  return reader.Finish();
}

Status ReadRetry(const Value& value, RetrySpec& retry) {
  ObjectReader reader(value, "spec: retry");
  retry.attempts = Count(reader, "attempts", 1);
  retry.on_preempted = retry.on_infrastructure = false;
  for (const auto& cause : Texts(reader, "on")) {
    if (cause == "preempted") {
      retry.on_preempted = true;
    } else if (cause == "infrastructure") {
      retry.on_infrastructure = true;
    } else if (const auto code =
                   ParseInt(cause.starts_with("exit:") ? std::string_view(cause).substr(5) : "");
               code && *code >= 0 && *code <= 255) {
      retry.on_exit_codes.push_back(static_cast<int>(*code));
    } else {
      reader.Reject("on", "expected preempted, infrastructure or exit:N, found " + cause);
    }
  }
  return reader.Finish();
}

Status ReadTimeouts(const Value& value, Timeouts& timeouts) {
  ObjectReader reader(value, "spec: timeouts");
  timeouts.pending = Duration(reader, "pending");
  timeouts.run = Duration(reader, "run");
  timeouts.grace = Duration(reader, "grace").value_or(timeouts.grace);
  return reader.Finish();
}

/// Reads a nested object, if present.
template <typename T>
Status ReadNested(const ObjectReader& reader, std::string_view key,
                  Status (*read)(const Value&, T&), T& into) {
  const Value* member = reader.Member(key);
  return member == nullptr ? Status() : read(*member, into);
}

Status ReadAllNested(const ObjectReader& reader, JobSpec& spec) {
  for (const auto& status :
       {ReadNested(reader, "bundle", ReadBundle, spec.bundle),
        ReadNested(reader, "dependencies", ReadDependencies, spec.dependencies),
        ReadNested(reader, "image", ReadImage, spec.image),
        ReadNested(reader, "env", ReadEnv, spec.env),
        ReadNested(reader, "data", ReadData, spec.data),
        ReadNested(reader, "resources", ReadResources, spec.resources),
        ReadNested(reader, "array", ReadArray, spec.array),
        ReadNested(reader, "retry", ReadRetry, spec.retry),
        ReadNested(reader, "timeouts", ReadTimeouts, spec.timeouts),
        ReadNested(reader, "tags", ReadTags, spec.tags)}) {
    if (!status) return status;
  }
  return {};
}

}  // namespace

Result<JobSpec> FromValue(const Value& value) {
  ObjectReader reader(value, "spec");
  JobSpec spec;
  spec.name = reader.OptionalString("name").value_or("");
  if (auto status = ReadAccelerators(reader, spec); !status) return Failure(status.error());
  DeserializeWork(reader, spec);
  spec.workdir = reader.OptionalString("workdir").value_or("");
  spec.python = reader.OptionalString("python").value_or("");
  spec.secrets = Texts(reader, "secrets");
  spec.spot = reader.OptionalBool("spot").value_or(false);
  spec.flex_start = reader.OptionalBool("flex_start").value_or(false);
  spec.reservation = reader.OptionalString("reservation").value_or("");
  spec.slices = Count(reader, "slices", 1);
  spec.max_cost = reader.OptionalString("max_cost").value_or("");
  spec.queue = reader.OptionalString("queue").value_or("");
  if (const Value* pod = reader.Member("pod")) spec.pod = *pod;
  spec.target = reader.OptionalString("target").value_or("");
  if (auto status = reader.Finish(); !status) return Failure(status.error());
  if (auto status = ReadAllNested(reader, spec); !status) return Failure(status.error());
  return spec;
}

}  // namespace kinetic::jobspec
