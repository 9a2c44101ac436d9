#include "record/metric_fields.h"

#include "record/json_fields.h"

#include <cmath>

namespace kinetic::record {

Value MetricValue(double number) {
  constexpr double kLargestExact = 9007199254740992;  // 2^53
  const bool is_whole = std::trunc(number) == number && std::abs(number) <= kLargestExact;
  return is_whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
}

Value MetricsValue(const std::vector<MetricSummary>& summary) {
  Value::List list;
  for (const MetricSummary& metric : summary)
    list.emplace_back(Value::Map{{"name", metric.name},
                                 {"last", MetricValue(metric.last)},
                                 {"min", MetricValue(metric.min)},
                                 {"max", MetricValue(metric.max)},
                                 {"count", CountValue(metric.count)}});
  return list;
}

std::vector<MetricSummary> ReadMetricSummaries(json::ObjectReader& reader, std::string_view key) {
  std::vector<MetricSummary> summary;
  if (!reader.Has(key)) return summary;
  for (const Value& item : reader.List(key)) {
    json::ObjectReader fields(item, std::string(key));
    const auto number = [&](std::string_view name) {
      const Value* field = fields.Member(name);
      const auto read = field == nullptr ? Value().As<double>() : field->As<double>();
      if (!read) fields.Reject(name, "expected a number");
      return read ? *read : 0;
    };
    summary.push_back({fields.String("name"), number("last"), number("min"), number("max"),
                       ReadCount(fields, "count")});
    if (const Status valid = fields.Finish(); !valid) reader.Reject(key, valid.error().message);
  }
  return summary;
}

Metrics LastMetrics(const std::vector<MetricSummary>& summary) {
  Metrics numbers;
  for (const MetricSummary& metric : summary) numbers.emplace_back(metric.name, metric.last);
  return numbers;
}

std::string MetricsText(const Metrics& numbers, std::size_t limit) {
  std::string text;
  Value::Map map;
  for (const auto& [name, number] : numbers) {
    map.emplace_back(name, MetricValue(number));
    std::string longer = Value(map).ToJson();
    if (longer.size() > limit) break;
    text = std::move(longer);
  }
  return text;
}

Metrics MetricsFromText(std::string_view json) {
  Metrics numbers;
  if (json.empty()) return numbers;
  const auto value = Value::FromJson(json);
  const Value::Map* map = value ? value->AsMap() : nullptr;
  if (map == nullptr) return numbers;
  for (const auto& [name, number] : *map)
    if (const auto read = number.As<double>()) numbers.emplace_back(name, *read);
  return numbers;
}

}  // namespace kinetic::record
