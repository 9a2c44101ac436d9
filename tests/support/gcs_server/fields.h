#pragma once

#include "support/gcs_server/reply.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// Returns the part of `resource` that a `fields` parameter selects:
/// "nextPageToken,items(name,size)", "items/name", "*". Unknown names are errors, unlike absent
/// fields, to detect typos.
///
/// @errors  400
Outcome<nlohmann::json> SelectFields(const nlohmann::json& resource, std::string_view fields);

}  // namespace kinetic::gcs_server
