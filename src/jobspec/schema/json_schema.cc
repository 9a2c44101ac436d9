#include "kinetic/job_file.h"

#include "jobspec/schema/shape.h"

#include <limits>

namespace kinetic::inline v0 {
namespace {

using jobspec::Key;
using jobspec::Shape;

Value Text(std::string_view text) { return Value(std::string(text)); }

Value Object(const Shape& shape);
Value SchemaOf(const Shape& shape);

Value Type(const char* name) { return Value(Value::Map{{"type", Value(name)}}); }

Value StringSchema(const Shape& shape) {
  Value schema = Type("string");
  if (!shape.text->pattern.empty()) schema.Set("pattern", Text(shape.text->pattern));
  return schema;
}

Value IntegerSchema(const jobspec::IntegerRule& rule) {
  Value schema = Type("integer");
  schema.Set("minimum", Value(rule.min));
  if (rule.max != std::numeric_limits<std::int64_t>::max()) {
    schema.Set("maximum", Value(rule.max));
  }
  return schema;
}

Value ListSchema(const Shape& shape) {
  Value schema = Type("array");
  schema.Set("items", SchemaOf(*shape.items));
  if (shape.min_items > 0) {
    schema.Set("minItems", Value(static_cast<std::int64_t>(shape.min_items)));
  }
  return schema;
}

Value MapSchema(const Shape& shape) {
  Value schema = Type("object");
  if (shape.names.pattern.empty()) {
    schema.Set("additionalProperties", SchemaOf(*shape.values));
  } else {
    schema.Set("patternProperties",
               Value(Value::Map{{std::string(shape.names.pattern), SchemaOf(*shape.values)}}));
    schema.Set("additionalProperties", Value(false));
  }
  return schema;
}

/// Returns one schema for each kind of value that a shape accepts.
Value::List Alternatives(const Shape& shape) {
  Value::List kinds;
  if (shape.text) kinds.push_back(StringSchema(shape));
  if (shape.integer) kinds.push_back(IntegerSchema(*shape.integer));
  if (shape.number) {
    Value number = Type("number");
    if (shape.range) {
      number.Set("minimum", Value(shape.range->min));
      number.Set("maximum", Value(shape.range->max));
    }
    kinds.push_back(std::move(number));
  }
  if (shape.as_written) kinds.push_back(Type("number"));
  if (shape.boolean || shape.as_written) kinds.push_back(Type("boolean"));
  if (shape.items != nullptr) kinds.push_back(ListSchema(shape));
  if (shape.values != nullptr) kinds.push_back(MapSchema(shape));
  if (!shape.keys.empty()) kinds.push_back(Object(shape));
  if (shape.null) kinds.push_back(Type("null"));
  return kinds;
}

Value SchemaOf(const Shape& shape) {
  if (shape.any) return Value(true);
  Value::List kinds = Alternatives(shape);
  if (kinds.size() == 1) return std::move(kinds.front());
  return Value(Value::Map{{"anyOf", Value(std::move(kinds))}});
}

std::string Description(const Key& key) {
  std::string text(key.doc);
  if (!key.default_value.empty()) text += " Default: " + std::string(key.default_value) + ".";
  if (key.shape->range) text += " Accepts " + std::string(key.shape->expected) + ".";
  if (key.reserved) text += " Reserved: validated, but not supported by any target.";
  return text + " Example: " + std::string(key.example);
}

Value Object(const Shape& shape) {
  Value::Map properties;
  Value::List required;
  for (const auto& key : shape.keys) {
    Value::Map described{{"description", Value(Description(key))}};
    const Value schema = SchemaOf(*key.shape);
    if (const auto* members = schema.AsMap()) {
      described.insert(described.end(), members->begin(), members->end());
    }
    properties.emplace_back(key.name, Value(std::move(described)));
    if (key.required) required.push_back(Text(key.name));
  }
  Value schema = Type("object");
  schema.Set("properties", Value(std::move(properties)));
  if (!required.empty()) schema.Set("required", Value(std::move(required)));
  schema.Set("additionalProperties", Value(false));
  return schema;
}

Value Requires(const char* key) {
  return Value(Value::Map{{"required", Value(Value::List{Value(key)})}});
}

}  // namespace

std::string JobFileSchema() {
  Value schema(Value::Map{{"$schema", Value("https://json-schema.org/draft/2020-12/schema")},
                          {"title", Value("kinetic job file, version 1")},
                          {"description", Value("A kinetic job: docs/reference/job-file.md.")}});
  const Value object = Object(jobspec::JobFileShape());
  for (const auto& [key, value] : *object.AsMap()) schema.Set(key, value);
  schema.Set("oneOf", Value(Value::List{Requires("function"), Requires("run"), Requires("steps")}));
  return schema.ToJson(true) + "\n";
}

}  // namespace kinetic::inline v0
