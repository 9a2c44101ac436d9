#include "kinetic/try.h"

#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"

#include <algorithm>
#include <cstddef>

namespace kinetic::backend {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestKey = 253;

bool MayBeInKey(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

Status Check(const std::string& name, const std::string& value) {
  if (name.empty() || name.size() > kLongestKey || !std::ranges::all_of(name, MayBeInKey)) {
    return Fail(ErrorCode::kInvalidArgument,
                "secrets: '" + Printable(name) + "' is not a valid key of a Kubernetes Secret",
                "use letters, digits, '_', '-' and '.'");
  }
  if (value.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                "secrets: the value of " + name + " contains a NUL byte");
  }
  return {};
}

Status CheckComplete(const record::Record& record,
                     const std::map<std::string, std::string>& secrets) {
  for (const auto& name : record.secret_names) {
    if (secrets.contains(name)) continue;
    return Fail(ErrorCode::kFailedPrecondition,
                "secrets: the job needs " + name + ", which is not set",
                "set the variable and submit the job again");
  }
  return {};
}

}  // namespace

Result<Value> MakeSecret(const record::Record& record, const std::string& name_space,
                         const std::string& store,
                         const std::map<std::string, std::string>& secrets) {
  KINETIC_ASSIGN_OR_RETURN(std::string object_name, ObjectName(record.id));
  KINETIC_RETURN_IF_ERROR(CheckComplete(record, secrets));
  Value::Map data;
  std::size_t bytes = 0;
  for (const auto& [name, value] : secrets) {
    KINETIC_RETURN_IF_ERROR(Check(name, value));
    bytes += value.size();
    data.emplace_back(name, Base64Encode(value));
  }
  if (bytes > kMostBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "secrets: " + FormatBytes(bytes) + " exceed the 1 MiB limit of a Kubernetes Secret",
                "store large values in a bucket");
  }
  Value::Map annotations{{std::string(kStoreAnnotation), store}};
  return Value(Value::Map{{"apiVersion", "v1"},
                          {"kind", "Secret"},
                          {"metadata", Value::Map{{"name", std::move(object_name)},
                                                  {"namespace", name_space},
                                                  {"labels", LabelsOf(record)},
                                                  {"annotations", std::move(annotations)}}},
                          {"type", "Opaque"},
                          {"immutable", true},
                          {"data", std::move(data)}});
}

Value OwnerPatch(const Value& created_job) {
  // blockOwnerDeletion would require permission to update the Job's finalizers.
  const Value::Map owner{{"apiVersion", "batch/v1"},
                         {"kind", "Job"},
                         {"name", std::string(NameOf(created_job))},
                         {"uid", std::string(UidOf(created_job))},
                         {"controller", false},
                         {"blockOwnerDeletion", false}};
  return Value::Map{{"metadata", Value::Map{{"ownerReferences", Value::List{owner}}}}};
}

}  // namespace kinetic::backend
