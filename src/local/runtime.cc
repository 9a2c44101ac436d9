#include "local/runtime.h"

#include "base/digest.h"
#include "base/strings.h"
#include "base/try.h"
#include "cloud/options_json.h"
#include "json/reader.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::local {
namespace {

constexpr std::size_t kSequenceDigits = 12;
constexpr std::string_view kSegmentSuffix = ".klog";

/// JSON that somebody else wrote; `where` begins the messages.
Result<Value> ParseObject(std::string_view json, const std::string& where) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, where + ": " + value.error().message);
  if (value->AsMap() == nullptr) return Fail(ErrorCode::kDataLoss, where + ": not an object");
  return value;
}

}  // namespace

Path JobsFolder(const Path& state_dir) { return state_dir / "jobs"; }
Path QueueFolder(const Path& state_dir) { return state_dir / "queue"; }
Path UploadsFolder(const Path& state_dir) { return state_dir / "uploads"; }

Runtime RuntimeOf(const Path& state_dir, std::string_view id) {
  return Runtime{JobsFolder(state_dir) / id};
}

Path SpoolSegment(const Path& spool, std::uint64_t first_sequence) {
  return spool / fmt::format("{:0{}}{}", first_sequence, kSequenceDigits, kSegmentSuffix);
}

std::optional<std::uint64_t> ParseSpoolSegment(std::string_view file_name) {
  if (file_name.size() != kSequenceDigits + kSegmentSuffix.size()) return std::nullopt;
  if (!file_name.ends_with(kSegmentSuffix)) return std::nullopt;
  const std::string_view digits = file_name.substr(0, kSequenceDigits);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return static_cast<std::uint64_t>(*ParseInt(digits));
}

std::string ToJson(const LaunchRequest& request) {
  Value::Map secrets;
  for (const auto& [name, value] : request.secrets) secrets.emplace_back(name, value);
  return Value(Value::Map{{"version", 1},
                          {"job_id", request.job_id},
                          {"record_sha256", request.record_sha256},
                          {"store", request.store},
                          {"state_dir", request.state_dir.native()},
                          {"python", request.python.native()},
                          {"environment_root", request.environment_root.native()},
                          {"search_path", request.search_path},
                          {"concurrency", std::int64_t{request.concurrency}},
                          {"data_cache", request.data_cache.native()},
                          {"secrets", std::move(secrets)},
                          {"cloud", cloud::ToValue(request.cloud)}})
      .ToJson();
}

Result<LaunchRequest> LaunchRequestFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, ParseObject(json, "launch request"));
  json::ObjectReader reader(value, "launch request");
  LaunchRequest request;
  if (reader.Int("version") != 1) reader.Reject("version", "made by another version of kinetic");
  request.job_id = reader.String("job_id");
  request.record_sha256 = reader.String("record_sha256");
  if (!Digest::FromHex(request.record_sha256)) reader.Reject("record_sha256", "not a digest");
  request.store = reader.String("store");
  request.state_dir = reader.String("state_dir");
  if (!request.state_dir.is_absolute()) reader.Reject("state_dir", "not an absolute path");
  request.python = reader.String("python");
  request.environment_root = reader.String("environment_root");
  request.search_path = reader.String("search_path");
  const std::int64_t concurrency = reader.Int("concurrency");
  if (concurrency < 1 || concurrency > UINT32_MAX) reader.Reject("concurrency", "not above 0");
  request.concurrency = static_cast<std::uint32_t>(concurrency);
  request.data_cache = reader.String("data_cache");
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
  KINETIC_ASSIGN_OR_RETURN(request.cloud, cloud::OptionsFromValue(*cloud));
  return request;
}

std::string ToJson(const SupervisorIdentity& identity) {
  return Value(Value::Map{{"pid", identity.pid},
                          {"start_time", static_cast<std::int64_t>(identity.start_time)},
                          {"boot_id", identity.boot_id},
                          {"nonce", identity.nonce}})
             .ToJson() +
         "\n";
}

Result<SupervisorIdentity> SupervisorIdentityFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, ParseObject(json, "supervisor.json"));
  json::ObjectReader reader(value, "supervisor.json");
  SupervisorIdentity identity;
  identity.pid = reader.Int("pid");
  identity.start_time = static_cast<std::uint64_t>(reader.Int("start_time"));
  identity.boot_id = reader.String("boot_id");
  identity.nonce = reader.String("nonce");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return identity;
}

}  // namespace kinetic::local
