#pragma once

#include "support/gcs_server/http_connection.h"
#include "support/gcs_server/reply.h"

#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// Requests to /_control/… steer the server instead of using it, and are neither counted nor
/// harmed: for clients that are other programs.
inline constexpr std::string_view kControlSegment = "_control";

/// GET /_control/requests · DELETE /_control/requests (empties the log) · POST /_control/faults
/// (see Faults::Load) · DELETE /_control/faults · POST /_control/end-sessions?status=410 · GET
/// /_control/healthz
Reply Control(const Request& request, const std::string& body, Front& front);

}  // namespace kinetic::gcs_server
