#pragma once

#include "kinetic/value.h"

#include "base/time/clock.h"
#include "kube/object.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

/// Accessors for Kubernetes objects. A field of an unexpected type counts as absent. Views refer to
/// the object.
namespace kinetic::backend {

using FieldPath = std::initializer_list<std::string_view>;

using kube::At;
using kube::NameOf;
using kube::TextAt;
using kube::UidOf;

std::optional<std::int64_t> IntAt(const Value& object, FieldPath path);
bool BoolAt(const Value& object, FieldPath path);
std::optional<WallTime> TimeAt(const Value& object, FieldPath path);
const Value::List& ListAt(const Value& object, FieldPath path);
const Value::Map& MapAt(const Value& object, FieldPath path);

inline std::string_view AnnotationAt(const Value& object, std::string_view name) {
  return TextAt(object, {"metadata", "annotations", name});
}

/// Returns the condition of this type in an object's status, or null.
const Value* ConditionOf(const Value& object, std::string_view type);
/// Returns whether the object has the condition, and it is true.
bool IsConditionTrue(const Value& object, std::string_view type);

/// Returns the status of a container of a pod, including init containers, or null.
const Value* ContainerStatus(const Value& pod, std::string_view container);
/// Returns a container in the pod's specification, or null.
const Value* ContainerSpec(const Value& pod, std::string_view container);

/// Parses a quantity: "100m", "4", "1536Mi", "2e3". Returns nullopt if it is invalid.
///
/// @source https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
std::optional<double> ParseQuantity(std::string_view text);
/// Returns the quantity at a member of a map, which may be a number, or 0 if it is missing.
double QuantityIn(const Value::Map& resources, std::string_view resource);
/// Formats an amount of a resource: bytes with a unit, everything else as a number.
std::string FormatAmount(std::string_view resource, double amount);

}  // namespace kinetic::backend
