#include "kinetic/try.h"

#include "google/cloud_build/build.h"
#include "json/document.h"

#include <string>
#include <utility>

namespace kinetic::google {
namespace {

Value ToList(const std::vector<std::string>& texts) {
  return Value::List(texts.begin(), texts.end());
}

Value StepValue(const BuildStep& step) {
  Value value(Value::Map{{"id", step.id}, {"name", step.image}, {"args", ToList(step.arguments)}});
  if (!step.environment.empty()) value.Set("env", ToList(step.environment));
  return value;
}

Value OptionsOf(const BuildConfig& config) {
  // Builds with their own service account are rejected with any other logging option.
  Value options(Value::Map{{"logging", "GCS_ONLY"}});
  if (!config.machine.empty()) options.Set("machineType", config.machine);
  return options;
}

StepOutcome ParseStep(const Value& value) {
  json::ObjectReader reader(value, "step");
  StepOutcome step;
  step.id = reader.OptionalString("id").value_or("");
  step.image = reader.OptionalString("name").value_or("");
  step.status = ParseBuildStatus(reader.OptionalString("status").value_or(""));
  step.exit_code = reader.OptionalInt("exitCode").value_or(0);
  return step;
}

}  // namespace

Value ToValue(const BuildConfig& config) {
  Value::List steps;
  for (const BuildStep& step : config.steps) steps.push_back(StepValue(step));
  const Value source(Value::Map{{"bucket", config.source_bucket},
                                {"object", config.source_object},
                                {"generation", std::to_string(config.source_generation)}});
  Value value(Value::Map{{"source", Value::Map{{"storageSource", source}}},
                         {"steps", std::move(steps)},
                         {"images", ToList(config.images)},
                         {"tags", ToList(config.tags)},
                         {"timeout", std::to_string(config.timeout.count()) + "s"},
                         {"logsBucket", config.logs},
                         {"options", OptionsOf(config)}});
  if (!config.service_account.empty()) value.Set("serviceAccount", config.service_account);
  return value;
}

Result<Build> ParseBuild(const Value& value) {
  json::ObjectReader reader(value, "build");
  Build build;
  build.id = reader.String("id");
  build.status = ParseBuildStatus(reader.String("status"));
  // An unknown status of a finished build counts as a failure.
  if (build.status == BuildStatus::kUnknown && reader.Has("finishTime")) {
    build.status = BuildStatus::kFailure;
  }
  build.status_detail = reader.OptionalString("statusDetail").value_or("");
  build.log_url = reader.OptionalString("logUrl").value_or("");
  build.created = reader.OptionalString("createTime").value_or("");
  for (const Value& tag : reader.List("tags")) {
    if (tag.AsString() != nullptr) build.tags.push_back(*tag.AsString());
  }
  for (const Value& step : reader.List("steps")) build.steps.push_back(ParseStep(step));
  if (const Value* failure = reader.Member("failureInfo")) {
    json::ObjectReader why(*failure, "failureInfo");
    build.failure = why.OptionalString("type").value_or("");
    build.failure_detail = why.OptionalString("detail").value_or("");
  }
  if (const auto read = reader.Finish(); !read || build.id.empty()) {
    return Fail(ErrorCode::kUnavailable, "Cloud Build returned an invalid build: " +
                                             (read ? "it has no id" : read.error().message));
  }
  return build;
}

}  // namespace kinetic::google
