#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "connect/cloud_options.h"
#include "json/document.h"
#include "local/runtime.h"

#include <time.h>

#include <utility>

namespace kinetic::local {

std::chrono::seconds TimeSinceBoot() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec);
}

std::string ToJson(const LaunchRequest& request) {
  Value::Map sources;
  for (const auto& [path, source] : request.sources) {
    sources.emplace_back(path, Value(Value::Map{{"folder", source.folder.native()},
                                                {"file", source.file},
                                                {"stat_cache", source.stat_cache.native()}}));
  }
  Value::Map secrets;
  for (const auto& [name, value] : request.secrets) secrets.emplace_back(name, value);
  return Value(Value::Map{{"version", 1},
                          {"job_id", request.job_id},
                          {"record_sha256", request.record_sha256},
                          {"record", request.record},
                          {"store_record", request.store_record},
                          {"made", std::int64_t{request.made.count()}},
                          {"store", request.store},
                          {"state_dir", request.state_dir.native()},
                          {"python", request.python.native()},
                          {"environment_root", request.environment_root.native()},
                          {"search_path", request.search_path},
                          {"concurrency", std::int64_t{request.concurrency}},
                          {"data_cache", request.data_cache.native()},
                          {"job_cache", request.job_cache.native()},
                          {"sources", std::move(sources)},
                          {"secrets", std::move(secrets)},
                          {"cloud", connect::ToValue(request.cloud)}})
      .ToJson();
}

Result<LaunchRequest> LaunchRequestFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "launch request: " + value.error().message);
  if (value->AsMap() == nullptr) return Fail(ErrorCode::kDataLoss, "launch request: not an object");
  json::ObjectReader reader(*value, "launch request");
  LaunchRequest request;
  if (reader.Int("version") != 1) reader.Reject("version", "created by another version of kinetic");
  request.job_id = reader.String("job_id");
  request.record_sha256 = reader.String("record_sha256");
  if (!Digest::FromHex(request.record_sha256)) reader.Reject("record_sha256", "not a digest");
  request.record = reader.String("record");
  request.store_record = reader.Bool("store_record");
  request.made = std::chrono::seconds(reader.Int("made"));
  request.store = reader.String("store");
  request.state_dir = reader.String("state_dir");
  if (!request.state_dir.is_absolute()) reader.Reject("state_dir", "not an absolute path");
  request.python = reader.String("python");
  request.environment_root = reader.String("environment_root");
  request.search_path = reader.String("search_path");
  const std::int64_t concurrency = reader.Int("concurrency");
  if (concurrency < 1 || concurrency > UINT32_MAX) {
    reader.Reject("concurrency", "must be greater than 0");
  }
  request.concurrency = static_cast<std::uint32_t>(concurrency);
  request.data_cache = reader.String("data_cache");
  request.job_cache = reader.String("job_cache");
  for (const auto& [path, value_of_source] : reader.Map("sources")) {
    json::ObjectReader source(value_of_source, "launch request: sources");
    request.sources.emplace(path, StoredSource{source.String("folder"), source.String("file"),
                                               source.String("stat_cache")});
    KINETIC_RETURN_IF_ERROR(source.Finish());
  }
  for (const auto& [name, secret] : reader.Map("secrets")) {
    const std::string* text = secret.AsString();
    if (text == nullptr) {
      reader.Reject("secrets", "the value of " + name + " is not a string");
    } else {
      request.secrets.emplace(name, *text);
    }
  }
  const Value* cloud = reader.Member("cloud");
  if (cloud == nullptr) reader.Reject("cloud", "expected a map, found nothing");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  KINETIC_ASSIGN_OR_RETURN(request.cloud, connect::CloudOptionsFromValue(*cloud));
  return request;
}

}  // namespace kinetic::local
