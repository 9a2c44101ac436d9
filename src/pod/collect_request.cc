#include "pod/collect_request.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "connect/cloud_options.h"
#include "json/document.h"

namespace kinetic::pod {
namespace {

constexpr std::string_view kCollectRequestKind = "the collector's request";

}  // namespace

std::string ToJson(const CollectRequest& request) {
  return Value(Value::Map{{"version", 1},
                          {"job_id", request.job_id},
                          {"record_sha256", request.record_sha256},
                          {"nonce", request.nonce},
                          {"store", request.store},
                          {"cloud", connect::ToValue(request.cloud)},
                          {"image", request.image}})
      .ToJson();
}

Result<CollectRequest> CollectRequestFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Failure(std::move(value).error().Context(kCollectRequestKind));
  if (value->AsMap() == nullptr) {
    return Fail(ErrorCode::kDataLoss, std::string(kCollectRequestKind) + ": not an object");
  }
  json::ObjectReader reader(*value, std::string(kCollectRequestKind));
  CollectRequest request;
  if (reader.Int("version") != 1) reader.Reject("version", "created by another version of kinetic");
  request.job_id = reader.String("job_id");
  request.record_sha256 = reader.String("record_sha256");
  if (!Digest::FromHex(request.record_sha256)) reader.Reject("record_sha256", "not a digest");
  request.nonce = reader.String("nonce");
  request.store = reader.String("store");
  request.image = reader.OptionalString("image").value_or("");
  const Value* cloud = reader.Member("cloud");
  if (cloud == nullptr) reader.Reject("cloud", "expected a map, found nothing");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  KINETIC_ASSIGN_OR_RETURN(request.cloud, connect::CloudOptionsFromValue(*cloud));
  return request;
}

}  // namespace kinetic::pod
