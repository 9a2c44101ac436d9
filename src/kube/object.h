#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kinetic::kube {

/// The value at a path of keys, or null: At(pod, {"status", "phase"}).
const Value* At(const Value& object, std::initializer_list<std::string_view> path);

/// The text at a path of keys; empty where there is none.
std::string_view TextAt(const Value& object, std::initializer_list<std::string_view> path);

std::string_view NameOf(const Value& object);
std::string_view NamespaceOf(const Value& object);
std::string_view UidOf(const Value& object);
std::string_view ResourceVersionOf(const Value& object);

/// JSON of the API with every "managedFields" list emptied: who set which field is up to half of an
/// object and of no use here, and skipping it is far quicker than parsing it. What is no such list
/// stays as it is.
std::string WithoutManagedFields(std::string_view json);

/// What etcd takes as one object, with its default settings.
inline constexpr std::size_t kObjectBytes = 3U << 19;
/// The values of a Secret or a ConfigMap together, decoded.
inline constexpr std::size_t kDataBytes = 1U << 20;
/// The keys and values of an object's annotations together.
inline constexpr std::size_t kAnnotationBytes = 256U << 10;

/// Whether a server would take `object`, as far as its size goes; a refusal after megabytes were
/// sent names no cause.
///
/// @param json_bytes  as it will be sent. @errors kInvalidArgument: what is too large, and by how
///                    much.
/// @source https://kubernetes.io/docs/concepts/configuration/secret/#restriction-data-size
Status CheckSize(const Value& object, std::size_t json_bytes);

}  // namespace kinetic::kube
