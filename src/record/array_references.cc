#include "record/array_references.h"

#include "kinetic/try.h"

#include "json/bytes.h"
#include "record/object_names.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace kinetic::record {
namespace {

constexpr std::string_view kNpyTag = "$npy";
constexpr std::string_view kReferenceTag = "$ref";
constexpr std::size_t kInlineArrayBytes = 48U << 10;
constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{4} << 30;

using Visitor = std::function<Status(Value& array)>;

/// Calls `visit` for each array in a value.
Status VisitArrays(Value& value, const Visitor& visit) {
  if (json::Tagged(value, kNpyTag) != nullptr) return visit(value);
  if (auto* list = value.AsList()) {
    for (Value& item : *list) KINETIC_RETURN_IF_ERROR(VisitArrays(item, visit));
  }
  if (auto* map = value.AsMap()) {
    for (auto& member : *map) KINETIC_RETURN_IF_ERROR(VisitArrays(member.second, visit));
  }
  return {};
}

Status VisitArrays(Arguments& args, const Visitor& visit) {
  for (Value& value : args.positional) KINETIC_RETURN_IF_ERROR(VisitArrays(value, visit));
  for (auto& member : args.named) KINETIC_RETURN_IF_ERROR(VisitArrays(member.second, visit));
  return {};
}

void AddReferences(const Value& value, std::vector<Digest>& found) {
  if (const auto digest = ReferredArray(value)) found.push_back(*digest);
  if (const auto* list = value.AsList()) {
    for (const Value& item : *list) AddReferences(item, found);
  }
  if (const auto* map = value.AsMap()) {
    for (const auto& member : *map) AddReferences(member.second, found);
  }
}

}  // namespace

std::optional<Digest> ReferredArray(const Value& value) {
  const Value* array = json::Tagged(value, kNpyTag);
  const Value* reference = array != nullptr ? array->Find(kReferenceTag) : nullptr;
  const bool has_text = reference != nullptr && reference->AsString() != nullptr;
  return has_text ? Digest::FromHex(*reference->AsString()) : std::nullopt;
}

ArrayContents ExtractArrays(Arguments& args) {
  ArrayContents contents;
  (void)VisitArrays(args, [&](Value& array) -> Status {
    auto bytes = json::BytesIn(*json::Tagged(array, kNpyTag));
    if (!bytes || bytes->view().size() <= kInlineArrayBytes) return {};
    const Digest digest = Sha256::Of(bytes->view());
    contents.emplace(digest, *std::move(bytes));
    array =
        Value::Map{{std::string(kNpyTag), Value::Map{{std::string(kReferenceTag), digest.Hex()}}}};
    return {};
  });
  return contents;
}

std::vector<Digest> ReferredArrays(const Arguments& args) {
  std::vector<Digest> found;
  for (const Value& value : args.positional) AddReferences(value, found);
  for (const auto& member : args.named) AddReferences(member.second, found);
  return found;
}

Status LoadArrays(store::Store& store, const Record& record, Arguments& args,
                  const std::stop_token& stop) {
  return VisitArrays(args, [&](Value& array) -> Status {
    const auto digest = ReferredArray(array);
    if (!digest) return {};
    const std::string name = ArgumentArrayName(record.id, record.nonce, *digest);
    KINETIC_ASSIGN_OR_RETURN(auto bytes, store::GetBytes(store, name, stop, kMaxArrayBytes));
    if (!bytes || Sha256::Of(*bytes) != *digest)
      return Fail(ErrorCode::kDataLoss, name + (bytes ? " is damaged" : " is not in the store"));
    array = Value::Map{{std::string(kNpyTag), Value::Content(Bytes(*std::move(bytes)))}};
    return {};
  });
}

}  // namespace kinetic::record
