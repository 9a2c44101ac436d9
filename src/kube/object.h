#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kinetic::kube {

/// Returns the value at a path of keys, or null: At(pod, {"status", "phase"}).
const Value* At(const Value& object, std::initializer_list<std::string_view> path);

/// Returns the string at a path of keys, or "" if there is none.
std::string_view TextAt(const Value& object, std::initializer_list<std::string_view> path);

std::string_view NameOf(const Value& object);
std::string_view NamespaceOf(const Value& object);
std::string_view UidOf(const Value& object);
std::string_view ResourceVersionOf(const Value& object);

/// Returns JSON of the API with every "managedFields" list emptied. They are up to half of an
/// object, and skipping them is much faster than parsing them.
std::string WithoutManagedFields(std::string_view json);

/// etcd's default limit for one object.
inline constexpr std::size_t kMaxObjectBytes = 3U << 19;
/// The limit for the decoded values of a Secret or a ConfigMap together.
inline constexpr std::size_t kMaxDataBytes = 1U << 20;
/// The limit for the keys and values of an object's annotations together.
inline constexpr std::size_t kMaxAnnotationBytes = 256U << 10;

/// Checks an object against the size limits. A server's refusal of a large request states no cause.
///
/// @param   json_bytes  the size of the request's body.
/// @errors  kInvalidArgument: what is too large, and by how much.
/// @source  https://kubernetes.io/docs/concepts/configuration/secret/#restriction-data-size
Status CheckSize(const Value& object, std::size_t json_bytes);

}  // namespace kinetic::kube
