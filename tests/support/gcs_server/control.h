#pragma once

#include "support/gcs_server/http_connection.h"
#include "support/gcs_server/reply.h"

#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// Requests to /_control/… configure the server for other programs. They are not counted and have
/// no faults.
inline constexpr std::string_view kControlSegment = "_control";

/// GET /_control/requests · DELETE /_control/requests (empties the log) · POST /_control/faults
/// (see Faults::Load) · DELETE /_control/faults · POST /_control/end-sessions?status=410 · POST
/// /_control/dates?min=-24&max=48 (DateSkew) · GET /_control/healthz
Reply Control(const Request& request, const std::string& body, ConnectionContext& context);

}  // namespace kinetic::gcs_server
