#pragma once

#include "kinetic/value.h"

#include "base/time/clock.h"
#include "kube/object.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

/// Reading Kubernetes objects: what is absent, or is of another type than it should be, counts as
/// not said. Views are into the object.
namespace kinetic::backend {

using FieldPath = std::initializer_list<std::string_view>;

using kube::At;
using kube::NameOf;
using kube::TextAt;
using kube::UidOf;

std::optional<std::int64_t> IntAt(const Value& object, FieldPath path);
bool FlagAt(const Value& object, FieldPath path);
std::optional<WallTime> TimeAt(const Value& object, FieldPath path);
const Value::List& ListAt(const Value& object, FieldPath path);
const Value::Map& MapAt(const Value& object, FieldPath path);

inline std::string_view AnnotationAt(const Value& object, std::string_view name) {
  return TextAt(object, {"metadata", "annotations", name});
}

/// The condition of a type in an object's status, or null.
const Value* ConditionOf(const Value& object, std::string_view type);
/// Whether the object has the condition, and it is true.
bool Holds(const Value& object, std::string_view type);

/// The status of one container of a pod, init containers included, or null.
const Value* ContainerStatus(const Value& pod, std::string_view container);
/// The container as the pod's specification has it, or null.
const Value* ContainerSpec(const Value& pod, std::string_view container);

/// A quantity: "100m", "4", "1536Mi", "2e3"; nothing when it is none.
///
/// @source https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
std::optional<double> ParseQuantity(std::string_view text);
/// The quantity at a member of a map, which may be a number; 0 when there is none.
double QuantityIn(const Value::Map& resources, std::string_view resource);
/// An amount of a resource for people: bytes as bytes, everything else as a number.
std::string ShowAmount(std::string_view resource, double amount);

}  // namespace kinetic::backend
