#include "local/runtime.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "json/document.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::local {
namespace {

constexpr std::size_t kSequenceDigits = 12;
constexpr std::string_view kSegmentSuffix = ".klog";

/// Parses a JSON object. Error messages start with `where`.
Result<Value> ParseObject(std::string_view json, const std::string& where) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, where + ": " + value.error().message);
  if (value->AsMap() == nullptr) return Fail(ErrorCode::kDataLoss, where + ": not an object");
  return value;
}

}  // namespace

Path JobsFolder(const Path& state_dir) { return state_dir / "jobs"; }
Path QueueFolder(const Path& state_dir) { return state_dir / "queue"; }
Path ShimsFolder(const Path& state_dir) { return state_dir / "shim"; }
Path ProgramsFolder(const Path& state_dir) { return state_dir / "programs"; }
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
