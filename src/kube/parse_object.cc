#include "kube/object.h"
#include "kube/sender.h"

namespace kinetic::kube {

Result<Value> ParseObject(const Operation& operation, const http::Response& response) {
  auto object = Value::FromJson(WithoutManagedFields(response.body));
  if (object && object->AsMap() != nullptr) return object;
  return Fail(ErrorCode::kDataLoss, operation.Text() + ": the response is not a JSON object" +
                                        (object ? "" : " (" + object.error().message + ")"));
}

}  // namespace kinetic::kube
