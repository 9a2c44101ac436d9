#include "support/gcs_server/control.h"

#include "support/gcs_server/errors.h"

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

Reply Requests(const Request& request, Front& front) {
  if (request.method == "DELETE") {
    front.log.Clear();
    return EmptyReply(204);
  }
  json all = json::array();
  for (const LoggedRequest& logged : front.log.All()) all.push_back(ToJson(logged));
  return JsonReply({{"count", front.requests.load()}, {"requests", all}});
}

Reply SetFaults(const Request& request, const std::string& body, Front& front) {
  if (request.method == "DELETE") {
    front.faults.Clear();
    return EmptyReply(204);
  }
  const auto problem = front.faults.Load(json::parse(body, nullptr, false));
  return problem ? Invalid(*problem) : EmptyReply(204);
}

}  // namespace

Reply Control(const Request& request, const std::string& body, Front& front) {
  const std::string what = request.segments.size() == 2 ? request.segments[1] : "";
  if (what == "requests") return Requests(request, front);
  if (what == "faults") return SetFaults(request, body, front);
  if (what == "healthz") return JsonReply({{"status", "ok"}});
  if (what == "end-sessions") {
    const auto status = request.Number("status");
    if (!status) return status.error();
    front.world.sessions.EndAll(static_cast<int>(status->value_or(410)));
    return EmptyReply(204);
  }
  return NotFound("There is no such control.");
}

}  // namespace kinetic::gcs_server
