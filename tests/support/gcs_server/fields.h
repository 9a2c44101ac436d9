#pragma once

#include "support/gcs_server/reply.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// The part of `resource` that a `fields` parameter selects: "nextPageToken,items(name,size)",
/// "items/name", "*". Null members and names that no resource has are told apart: a slip in a name
/// is an error here, where it would be silence elsewhere.
///
/// @errors  400
Outcome<nlohmann::json> SelectFields(const nlohmann::json& resource, std::string_view fields);

}  // namespace kinetic::gcs_server
