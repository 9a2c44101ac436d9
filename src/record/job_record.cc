#include "record/job_record.h"

#include "kinetic/try.h"

#include "base/time/clock.h"
#include "jobspec/serialize.h"
#include "json/document.h"
#include "record/job_cost.h"
#include "record/json_fields.h"

#include <utility>

namespace kinetic::record {
namespace {

/// The version of a record without an environment, which all readers support.
constexpr std::int64_t kRecordVersion = 1;
/// The version of a record with an environment. A reader that ignored the environment would run the
/// job without its packages, and remove them from the store.
constexpr std::int64_t kVersionWithEnvironment = 2;
/// The version of an array's record. A reader that ignored the tasks would run one of them.
constexpr std::int64_t kVersionWithTasks = 3;
constexpr std::string_view kRecordFile = "record.json";

Value GitValue(const GitState& git) {
  return Value(Value::Map{{"commit", git.commit}, {"branch", git.branch}});
}

Result<std::optional<GitState>> ReadGit(const json::ObjectReader& record) {
  const Value* field = record.Member("git");
  if (field == nullptr || field->IsNull()) return std::nullopt;
  json::ObjectReader reader(*field, std::string(kRecordFile) + ": git");
  GitState git{reader.String("commit"), ReadText(reader, "branch")};
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return git;
}

Value DataValue(const std::map<std::string, DataTree>& data) {
  Value::Map map;
  for (const auto& [path, tree] : data) {
    Value::Map entry = {{"tree", tree.tree.Hex()}};
    if (tree.file) entry.emplace_back("file", Value(true));
    map.emplace_back(path, std::move(entry));
  }
  return Value(std::move(map));
}

Result<std::map<std::string, DataTree>> ReadData(json::ObjectReader& record) {
  std::map<std::string, DataTree> data;
  for (const auto& [path, entry] : record.Map("data")) {
    json::ObjectReader reader(entry, std::string(kRecordFile) + ": data." + path);
    data[path] = {ReadDigest(reader, "tree"), reader.OptionalBool("file").value_or(false)};
    KINETIC_RETURN_IF_ERROR(reader.Finish());
  }
  return data;
}

Value ListedDataValue(const std::map<std::string, ListedData>& data) {
  Value::Map map;
  for (const auto& [path, listed] : data) {
    Value::Map entry = {{"listing", listed.listing.Hex()},
                        {"objects", CountValue(listed.objects)},
                        {"bytes", CountValue(listed.bytes)}};
    if (listed.file) entry.emplace_back("file", Value(true));
    map.emplace_back(path, std::move(entry));
  }
  return Value(std::move(map));
}

Result<std::map<std::string, ListedData>> ReadListedData(json::ObjectReader& record) {
  std::map<std::string, ListedData> data;
  for (const auto& [path, entry] : record.Map("listed_data")) {
    json::ObjectReader reader(entry, std::string(kRecordFile) + ": listed_data." + path);
    data[path] = {ReadDigest(reader, "listing"), ReadCount(reader, "objects"),
                  ReadCount(reader, "bytes"), reader.OptionalBool("file").value_or(false)};
    KINETIC_RETURN_IF_ERROR(reader.Finish());
  }
  return data;
}

Value EnvironmentValue(const PodEnvironment& environment) {
  return Value(Value::Map{{"tree", environment.tree.Hex()},
                          {"python", environment.python},
                          {"files", CountValue(environment.files)},
                          {"bytes", CountValue(environment.bytes)}});
}

Result<std::optional<PodEnvironment>> ReadEnvironment(const json::ObjectReader& record) {
  const Value* field = record.Member("environment");
  if (field == nullptr) return std::nullopt;
  json::ObjectReader reader(*field, std::string(kRecordFile) + ": environment");
  PodEnvironment environment{ReadDigest(reader, "tree"), reader.String("python"),
                             ReadCount(reader, "files"), ReadCount(reader, "bytes")};
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return environment;
}

Result<JobSpec> ReadSpec(const json::ObjectReader& record) {
  const Value* field = record.Member("spec");
  if (field == nullptr) {
    return Fail(ErrorCode::kDataLoss,
                std::string(kRecordFile) + ": spec: is missing, expected a map");
  }
  auto spec = jobspec::FromValue(*field);
  if (!spec) return Failure(std::move(spec).error().Context(kRecordFile));
  return *std::move(spec);
}

std::int64_t VersionOf(const Record& record) {
  if (record.spec.array) return kVersionWithTasks;
  return record.environment ? kVersionWithEnvironment : kRecordVersion;
}

}  // namespace

std::string ArgumentsToJson(const Arguments& args) {
  if (!args.positional.empty()) return Value(args.positional).ToJson();
  return Value(args.named).ToJson();
}

Result<Arguments> ArgumentsFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) {
    return Fail(ErrorCode::kDataLoss, "the arguments: " + value.error().message);
  }
  Arguments args;
  if (auto* list = value->AsList()) {
    args.positional = std::move(*list);
  } else if (auto* map = value->AsMap()) {
    args.named = std::move(*map);
  } else {
    return Fail(ErrorCode::kDataLoss, "the arguments: expected a list or an object");
  }
  return args;
}

std::string ToJson(const Record& record) {
  Value::Map map = {{"version", Value(VersionOf(record))},       {"id", record.id},
                    {"created", FormatTime(record.created)},     {"owner", record.owner},
                    {"client_version", record.client_version},   {"target", record.target},
                    {"target_identity", record.target_identity}, {"nonce", record.nonce},
                    {"spec", jobspec::ToValue(record.spec)},     {"tree", record.tree.Hex()}};
  if (!record.data.empty()) map.emplace_back("data", DataValue(record.data));
  if (!record.listed_data.empty()) {
    map.emplace_back("listed_data", ListedDataValue(record.listed_data));
  }
  map.emplace_back("arguments", record.arguments.Hex());
  if (record.inline_arguments) map.emplace_back("inline_arguments", *record.inline_arguments);
  if (record.arguments_by_task) map.emplace_back("arguments_by_task", Value(true));
  if (!record.arrays.empty()) {
    Value::List arrays;
    for (const Digest& array : record.arrays) arrays.emplace_back(array.Hex());
    map.emplace_back("arrays", std::move(arrays));
  }
  map.emplace_back("manifest_key", record.manifest_key);
  map.emplace_back("environment_id", record.environment_id);
  map.emplace_back("environment_inputs", TextMapValue(record.environment_inputs));
  if (record.environment) map.emplace_back("environment", EnvironmentValue(*record.environment));
  if (!record.environment_image.empty()) {
    map.emplace_back("environment_image", record.environment_image);
  }
  if (record.compiled) map.emplace_back("compiled", record.compiled->Hex());
  map.emplace_back("secret_names", TextsValue(record.secret_names));
  map.emplace_back("not_applied", TextsValue(record.not_applied));
  if (record.git) map.emplace_back("git", GitValue(*record.git));
  if (record.price) map.emplace_back("price", JobPriceValue(*record.price));
  if (!record.rerun_of.empty()) map.emplace_back("rerun_of", record.rerun_of);
  if (!record.preparation.empty()) {
    map.emplace_back("preparation", ClientPhasesValue(record.preparation));
  }
  return json::WriteDocument(std::move(map));
}

Result<Record> FromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kRecordFile));
  json::ObjectReader reader(value, std::string(kRecordFile));
  KINETIC_RETURN_IF_ERROR(
      CheckVersion(reader, kVersionWithTasks));  // a newer version may have other fields
  Record record;
  record.id = reader.String("id");
  record.created = ReadTime(reader, "created");
  record.owner = reader.String("owner");
  record.client_version = reader.String("client_version");
  record.target = reader.String("target");
  record.target_identity = reader.String("target_identity");
  record.nonce = reader.String("nonce");
  record.tree = ReadDigest(reader, "tree");
  record.arguments = ReadDigest(reader, "arguments");
  record.inline_arguments = reader.OptionalString("inline_arguments");
  record.arguments_by_task = reader.OptionalBool("arguments_by_task").value_or(false);
  for (const std::string& array : ReadTexts(reader, "arrays")) {
    const auto digest = Digest::FromHex(array);
    if (digest) record.arrays.push_back(*digest);
    if (!digest) reader.Reject("arrays", "is not a list of digests");
  }
  record.manifest_key = ReadText(reader, "manifest_key");
  record.environment_id = ReadText(reader, "environment_id");
  record.environment_inputs = ReadTextMap(reader, "environment_inputs");
  record.environment_image = reader.OptionalString("environment_image").value_or("");
  if (value.Find("compiled") != nullptr) record.compiled = ReadDigest(reader, "compiled");
  record.secret_names = ReadTexts(reader, "secret_names");
  record.not_applied = ReadTexts(reader, "not_applied");
  KINETIC_ASSIGN_OR_RETURN(record.data, ReadData(reader));
  KINETIC_ASSIGN_OR_RETURN(record.listed_data, ReadListedData(reader));
  if (const Value* price = reader.Member("price"); price != nullptr)
    record.price = JobPriceFrom(*price);
  record.rerun_of = ReadText(reader, "rerun_of");
  KINETIC_ASSIGN_OR_RETURN(record.preparation,
                           ReadClientPhases(reader, "preparation", kRecordFile));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  KINETIC_ASSIGN_OR_RETURN(record.spec, ReadSpec(reader));
  KINETIC_ASSIGN_OR_RETURN(record.environment, ReadEnvironment(reader));
  KINETIC_ASSIGN_OR_RETURN(record.git, ReadGit(reader));
  return record;
}

}  // namespace kinetic::record
