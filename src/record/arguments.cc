#include "record/arguments.h"

#include "kinetic/value.h"

#include <utility>

namespace kinetic::record {

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

}  // namespace kinetic::record
