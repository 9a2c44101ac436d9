#include "record/array_references.h"

#include "kinetic/try.h"

#include "json/bytes.h"
#include "json/content.h"
#include "record/object_names.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace kinetic::record {
namespace {

constexpr std::string_view kNpyTag = "$npy";
constexpr std::string_view kReferenceTag = "$ref";
constexpr std::string_view kSharedTag = "$shared";
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

void AddReferences(const Value& value, std::vector<ArrayReference>& found) {
  if (const auto array = ReferredArray(value)) found.push_back(*array);
  if (const auto* list = value.AsList()) {
    for (const Value& item : *list) AddReferences(item, found);
  }
  if (const auto* map = value.AsMap()) {
    for (const auto& member : *map) AddReferences(member.second, found);
  }
}

std::string_view TagOf(ArrayUse use) {
  return use == ArrayUse::kShared ? kSharedTag : kReferenceTag;
}

/// Replaces an array by a reference, if it is large.
Status Extract(Value& array, ArrayUse use, ArrayContents& contents) {
  auto bytes = json::BytesIn(*json::Tagged(array, kNpyTag));
  if (!bytes || json::SizeOf(*bytes) <= kInlineArrayBytes) return {};
  const Digest digest = json::DigestOf(*bytes);
  contents.emplace(digest, *std::move(bytes));
  array = Value::Map{{std::string(kNpyTag), Value::Map{{std::string(TagOf(use)), digest.Hex()}}}};
  return {};
}

}  // namespace

std::optional<ArrayReference> ReferredArray(const Value& value) {
  const Value* array = json::Tagged(value, kNpyTag);
  if (array == nullptr) return std::nullopt;
  for (const ArrayUse use : {ArrayUse::kOwn, ArrayUse::kShared}) {
    const Value* reference = json::Tagged(*array, TagOf(use));
    const bool has_text = reference != nullptr && reference->AsString() != nullptr;
    const auto digest = has_text ? Digest::FromHex(*reference->AsString()) : std::nullopt;
    if (digest) return ArrayReference{*digest, use};
  }
  return std::nullopt;
}

ArrayContents ExtractArrays(Arguments& args) {
  ArrayContents contents;
  (void)VisitArrays(args, [&](Value& array) { return Extract(array, ArrayUse::kOwn, contents); });
  return contents;
}

ArrayContents ExtractArrays(Value& value, ArrayUse use) {
  ArrayContents contents;
  (void)VisitArrays(value, [&](Value& array) { return Extract(array, use, contents); });
  return contents;
}

std::string NameOf(const ArrayReference& array, const Record& record) {
  return array.use == ArrayUse::kShared ? SharedArrayName(array.digest)
                                        : ArgumentArrayName(record.id, record.nonce, array.digest);
}

Status PutArray(store::Store& store, const std::string& name, const Bytes& content,
                const std::stop_token& stop) {
  const json::Pieces pieces = json::Content::PiecesOf(content);
  store::BytesSource source(pieces[0], pieces[1]);
  KINETIC_RETURN_IF_ERROR(store.Put(name, source, store::Precondition::Absent(), {}, stop));
  return {};
}

std::vector<ArrayReference> ReferredArrays(const Arguments& args) {
  std::vector<ArrayReference> found;
  for (const Value& value : args.positional) AddReferences(value, found);
  for (const auto& member : args.named) AddReferences(member.second, found);
  return found;
}

Status LoadArrays(store::Store& store, const Record& record, Arguments& args, ArrayUse most,
                  const std::stop_token& stop) {
  return VisitArrays(args, [&](Value& array) -> Status {
    const auto reference = ReferredArray(array);
    if (!reference || reference->use > most) return {};
    const std::string name = NameOf(*reference, record);
    KINETIC_ASSIGN_OR_RETURN(auto bytes, store::GetBytes(store, name, stop, kMaxArrayBytes));
    if (!bytes || Sha256::Of(*bytes) != reference->digest)
      return Fail(ErrorCode::kDataLoss, name + (bytes ? " is damaged" : " is not in the store"));
    array = Value::Map{{std::string(kNpyTag), Value::Content(Bytes(*std::move(bytes)))}};
    return {};
  });
}

}  // namespace kinetic::record
