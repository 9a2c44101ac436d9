#include "job/lifecycle/stored_values.h"

#include "kinetic/stored_values.h"
#include "kinetic/try.h"

#include "base/large_buffer.h"

#include <algorithm>
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
    KINETIC_ASSIGN_OR_RETURN(std::string content, read(*reference, SizeIn(map->front().second)));
    const bool array = map->front().first == "$array";
    value = Value::Map{{array ? "$npy" : "$bytes", Value::Content(Bytes(std::move(content)))}};
    return {};
  }
  for (auto& member : *map) KINETIC_RETURN_IF_ERROR(LoadContent(member.second, read));
  return {};
}

}  // namespace kinetic::job

namespace kinetic::inline v0 {

Result<Value> LoadStored(const Job& job, const Value& value, std::stop_token stop) {
  // The size is stated by the job, and may be wrong.
  constexpr std::uint64_t kMaxReservedBytes = std::uint64_t{1} << 30;
  const auto read = [&](std::string_view reference,
                        std::uint64_t size_bytes) -> Result<std::string> {
    std::string content;
    ReserveLarge(content, std::min(size_bytes, kMaxReservedBytes));
    const auto append = [&](std::string_view piece) -> Status {
      content += piece;
      return {};
    };
    KINETIC_RETURN_IF_ERROR(job.ReadStored(reference, append, stop));
    if (content.size() < size_bytes) content.shrink_to_fit();
    return content;
  };
  Value loaded = value;
  KINETIC_RETURN_IF_ERROR(job::LoadContent(loaded, read));
  return loaded;
}

}  // namespace kinetic::inline v0
