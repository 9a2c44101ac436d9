#include "support/gcs_server/control.h"

#include "support/gcs_server/errors.h"

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

Reply Requests(const Request& request, ConnectionContext& context) {
  if (request.method == "DELETE") {
    context.log.Clear();
    return EmptyReply(204);
  }
  json all = json::array();
  for (const LoggedRequest& logged : context.log.All()) all.push_back(ToJson(logged));
  return JsonReply({{"count", context.requests.load()}, {"requests", all}});
}

Reply SetFaults(const Request& request, const std::string& body, ConnectionContext& context) {
  if (request.method == "DELETE") {
    context.faults.Clear();
    return EmptyReply(204);
  }
  const auto problem = context.faults.Load(json::parse(body, nullptr, false));
  return problem ? Invalid(*problem) : EmptyReply(204);
}

}  // namespace

Reply Control(const Request& request, const std::string& body, ConnectionContext& context) {
  const std::string what = request.segments.size() == 2 ? request.segments[1] : "";
  if (what == "requests") return Requests(request, context);
  if (what == "faults") return SetFaults(request, body, context);
  if (what == "healthz") return JsonReply({{"status", "ok"}});
  if (what == "end-sessions") {
    const auto status = request.Number("status");
    if (!status) return status.error();
    context.state.sessions.EndAll(static_cast<int>(status->value_or(410)));
    return EmptyReply(204);
  }
  if (what == "dates") {
    const auto min = request.Number("min");
    const auto max = request.Number("max");
    if (!min || !max) return Invalid("min and max must be hours");
    context.state.dates.Set(static_cast<int>(min->value_or(0)), static_cast<int>(max->value_or(0)));
    return EmptyReply(204);
  }
  return NotFound("There is no such control.");
}

}  // namespace kinetic::gcs_server
