#include "json/document.h"

namespace kinetic::json {
namespace {

const Value::List& NoList() {
  static const Value::List kNone;
  return kNone;
}

const Value::Map& NoMap() {
  static const Value::Map kNone;
  return kNone;
}

}  // namespace

std::string_view KindOf(const Value& value) {
  if (value.IsNull()) return "null";
  if (value.AsBool() != nullptr) return "true or false";
  if (value.AsInt() != nullptr || value.AsDouble() != nullptr) return "a number";
  if (value.AsString() != nullptr) return "a string";
  if (value.AsBytes() != nullptr) return "bytes";
  return value.AsList() != nullptr ? "a list" : "a map";
}

ObjectReader::ObjectReader(const Value& value, std::string where)
    : value_(value), where_(std::move(where)) {
  if (value.AsMap() == nullptr) {
    problem_ = where_ + ": expected a map, found " + std::string(KindOf(value));
  }
}

void ObjectReader::Reject(std::string_view key, std::string_view problem) {
  if (!problem_) problem_ = where_ + ": " + std::string(key) + ": " + std::string(problem);
}

const Value* ObjectReader::Member(std::string_view key) const { return value_.Find(key); }

bool ObjectReader::Has(std::string_view key) const { return Member(key) != nullptr; }

const Value* ObjectReader::Required(std::string_view key, std::string_view expected) {
  const Value* member = Member(key);
  if (member == nullptr) Reject(key, "is missing, expected " + std::string(expected));
  return member;
}

namespace {

std::string Mismatch(std::string_view expected, const Value& found) {
  return "expected " + std::string(expected) + ", found " + std::string(KindOf(found));
}

}  // namespace

std::string ObjectReader::String(std::string_view key) {
  const Value* member = Required(key, "a string");
  if (member == nullptr) return {};
  if (const auto* text = member->AsString()) return *text;
  Reject(key, Mismatch("a string", *member));
  return {};
}

std::optional<std::string> ObjectReader::OptionalString(std::string_view key) {
  const Value* member = Member(key);
  if (member == nullptr || member->IsNull()) return std::nullopt;
  return String(key);
}

std::int64_t ObjectReader::Int(std::string_view key) {
  const Value* member = Required(key, "an integer");
  if (member == nullptr) return 0;
  if (const auto* number = member->AsInt()) return *number;
  Reject(key, Mismatch("an integer", *member));
  return 0;
}

std::optional<std::int64_t> ObjectReader::OptionalInt(std::string_view key) {
  const Value* member = Member(key);
  if (member == nullptr || member->IsNull()) return std::nullopt;
  return Int(key);
}

bool ObjectReader::Bool(std::string_view key) {
  const Value* member = Required(key, "true or false");
  if (member == nullptr) return false;
  if (const auto* flag = member->AsBool()) return *flag;
  Reject(key, Mismatch("true or false", *member));
  return false;
}

std::optional<bool> ObjectReader::OptionalBool(std::string_view key) {
  const Value* member = Member(key);
  if (member == nullptr || member->IsNull()) return std::nullopt;
  return Bool(key);
}

double ObjectReader::Number(std::string_view key) {
  const Value* member = Required(key, "a number");
  if (member == nullptr) return 0;
  if (const auto* number = member->AsDouble()) return *number;
  if (const auto* number = member->AsInt()) return static_cast<double>(*number);
  Reject(key, Mismatch("a number", *member));
  return 0;
}

const Value::List& ObjectReader::List(std::string_view key) {
  const Value* member = Member(key);
  if (member == nullptr || member->IsNull()) return NoList();
  if (const auto* list = member->AsList()) return *list;
  Reject(key, Mismatch("a list", *member));
  return NoList();
}

const Value::Map& ObjectReader::Map(std::string_view key) {
  const Value* member = Member(key);
  if (member == nullptr || member->IsNull()) return NoMap();
  if (const auto* map = member->AsMap()) return *map;
  Reject(key, Mismatch("a map", *member));
  return NoMap();
}

Status ObjectReader::Finish() const {
  if (problem_) return Fail(ErrorCode::kDataLoss, *problem_);
  return {};
}

}  // namespace kinetic::json
