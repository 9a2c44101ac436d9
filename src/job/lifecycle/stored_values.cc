#include "job/lifecycle/stored_values.h"

#include "kinetic/stored_values.h"
#include "kinetic/try.h"

#include "json/content_builder.h"

#include <utility>

namespace kinetic::job {
namespace {

/// Returns the reference of a tagged form, {"$array": {"$ref": …}}, or null.
const std::string* ReferenceIn(const Value::Map& map) {
  if (map.size() != 1 || (map.front().first != "$array" && map.front().first != "$bytes"))
    return nullptr;
  const Value* reference = map.front().second.Find("$ref");
  return reference == nullptr ? nullptr : reference->AsString();
}

std::uint64_t SizeIn(const Value& described) {
  const Value* size = described.Find("size_bytes");
  const std::int64_t* number = size == nullptr ? nullptr : size->AsInt();
  return number == nullptr || *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
}

}  // namespace

Status LoadContent(Value& value, const ContentReader& read) {
  if (auto* list = value.AsList()) {
    for (Value& item : *list) KINETIC_RETURN_IF_ERROR(LoadContent(item, read));
  }
  auto* map = value.AsMap();
  if (map == nullptr) return {};
  if (const std::string* reference = ReferenceIn(*map)) {
    KINETIC_ASSIGN_OR_RETURN(Bytes content, read(*reference, SizeIn(map->front().second)));
    const bool array = map->front().first == "$array";
    value = Value::Map{{array ? "$npy" : "$bytes", Value::Content(std::move(content))}};
    return {};
  }
  for (auto& member : *map) KINETIC_RETURN_IF_ERROR(LoadContent(member.second, read));
  return {};
}

}  // namespace kinetic::job

namespace kinetic::inline v0 {

Result<Value> LoadStored(const Job& job, const Value& value, std::stop_token stop) {
  const auto read = [&](std::string_view reference, std::uint64_t size_bytes) -> Result<Bytes> {
    json::ContentBuilder content(size_bytes);  // the size is stated by the job, and may be wrong
    const auto append = [&](std::string_view piece) -> Status {
      content.Append(piece);
      return {};
    };
    KINETIC_RETURN_IF_ERROR(job.ReadStored(reference, append, stop));
    return content.Finish();
  };
  Value loaded = value;
  KINETIC_RETURN_IF_ERROR(job::LoadContent(loaded, read));
  return loaded;
}

}  // namespace kinetic::inline v0
