#include "kinetic/job_difference.h"

#include "documents.h"

#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

template <typename Items, typename Convert>
Value ListOf(const Items& items, const Convert& convert) {
  Value::List list;
  for (const auto& item : items) list.push_back(convert(item));
  return list;
}

Value PropertyDocument(const JobDifference::Property& each) {
  return Value::Map{
      {"name", each.name}, {"before", TextOrNull(each.before)}, {"now", TextOrNull(each.now)}};
}

/// Arguments are values, and not text.
Value ArgumentDocument(const JobDifference::Property& each) {
  const auto parsed = [](const std::string& json) {
    return json.empty() ? Value() : Value::FromJson(json).value_or(Value(json));
  };
  return Value::Map{
      {"name", each.name}, {"before", parsed(each.before)}, {"now", parsed(each.now)}};
}

Value FileDocument(const JobDifference::File& each) {
  const bool was_there = each.kind != BundleChange::Kind::kAdded;
  const bool is_there = each.kind != BundleChange::Kind::kRemoved;
  return Value::Map{{"change", std::string(Name(each.kind))},
                    {"path", each.path},
                    {"bytes_before", was_there ? Number(each.bytes_before) : Value()},
                    {"bytes_now", is_there ? Number(each.bytes_now) : Value()},
                    {"lines", TextOrNull(each.lines)}};
}

Value ItemDocument(const JobDifference::Item& each) {
  return Value::Map{{"change", std::string(Name(each.kind))}, {"name", each.name}};
}

Value DurationDocument(const JobDifference::Duration& each) {
  const auto seconds = [](const std::optional<std::chrono::nanoseconds>& duration) {
    return duration ? Value(std::chrono::duration<double>(*duration).count()) : Value();
  };
  return Value::Map{{"phase", std::string(Name(each.phase))},
                    {"seconds_before", seconds(each.before)},
                    {"seconds_now", seconds(each.now)}};
}

Value JobDocument(const std::string& id, JobState state) {
  return Value::Map{{"id", id}, {"state", std::string(Name(state))}};
}

}  // namespace

Value ToDocument(const JobDifference& difference) {
  return Value::Map{{"before", JobDocument(difference.before, difference.state_before)},
                    {"now", JobDocument(difference.now, difference.state_now)},
                    {"is_rerun", difference.is_rerun},
                    {"job", ListOf(difference.properties, PropertyDocument)},
                    {"arguments", ListOf(difference.arguments, ArgumentDocument)},
                    {"code", ListOf(difference.code, FileDocument)},
                    {"packages", ListOf(difference.packages, PropertyDocument)},
                    {"packages_unknown", TextOrNull(difference.packages_unknown)},
                    {"variables", ListOf(difference.variables, ItemDocument)},
                    {"secrets", ListOf(difference.secrets, ItemDocument)},
                    {"data", ListOf(difference.data, ItemDocument)},
                    {"durations", ListOf(difference.durations, DurationDocument)}};
}

}  // namespace kinetic::cli
