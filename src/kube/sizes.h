#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstddef>

namespace kinetic::kube {

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
