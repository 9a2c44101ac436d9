#include "pod/store_probe_request.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "connect/cloud_options.h"
#include "json/document.h"

#include <utility>

namespace kinetic::pod {
namespace {

constexpr const char* kProbeRequestKind = "the store probe request";

}  // namespace

std::string ToJson(const StoreProbeRequest& request) {
  return Value(Value::Map{{"version", 1},
                          {"store", request.store},
                          {"cloud", connect::ToValue(request.cloud)}})
      .ToJson();
}

Result<StoreProbeRequest> StoreProbeRequestFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Failure(std::move(value).error().Context(kProbeRequestKind));
  json::ObjectReader reader(*value, kProbeRequestKind);
  StoreProbeRequest request;
  if (reader.Int("version") != 1) reader.Reject("version", "created by another version of kinetic");
  request.store = reader.String("store");
  const Value* cloud = reader.Member("cloud");
  if (cloud == nullptr) reader.Reject("cloud", "expected a map, found nothing");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  KINETIC_ASSIGN_OR_RETURN(request.cloud, connect::CloudOptionsFromValue(*cloud));
  return request;
}

}  // namespace kinetic::pod
