#include "support/gcs_server/http_connection.h"

#include "base/strings.h"
#include "support/gcs_server/control.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/faulty_body.h"
#include "support/gcs_server/handlers.h"
#include "support/gcs_server/reply_writer.h"

namespace kinetic::gcs_server {
namespace {

Reply FaultReply(const Fault& fault) {
  const auto reason = [&fault]() -> std::string {
    if (!fault.reason.empty()) return fault.reason;
    switch (fault.status) {
      case 401:
        return "authError";
      case 408:
        return "requestTimeout";
      case 429:
        return "rateLimitExceeded";
      case 500:
        return "internalError";
      default:
        return "backendError";
    }
  };
  Reply reply = ErrorReply(fault.status, reason(),
                           fault.message.empty() ? "This failure was asked for." : fault.message);
  if (fault.retry_after) reply.headers.Add("Retry-After", std::to_string(*fault.retry_after));
  return reply;
}

LoggedRequest Log(const Request& request, std::uint64_t index, std::uint64_t connection) {
  LoggedRequest logged;
  logged.index = index;
  logged.connection = connection;
  logged.method = request.method;
  logged.target = request.target;
  logged.headers = request.headers;
  logged.authorized = request.headers.Get("Authorization").has_value();
  logged.headers.Remove("Authorization");
  return logged;
}

bool WantsClose(const Request& request) { return ToLower(request.Header("Connection")) == "close"; }

}  // namespace

void HttpConnection::Serve() {
  while (const auto head = socket_.ReadHead()) {
    const auto request = ParseRequest(*head);
    if (!request) {
      Refused(Invalid("This is no HTTP/1.1 request."));
      return;
    }
    const bool control = request->segments.front() == kControlSegment;
    if (!(control ? ServeControl(*request) : ServeOne(*request))) return;
  }
}

bool HttpConnection::Refused(const Reply& reply) {
  ReplyWriter(socket_, std::nullopt, true, Date()).Send(reply, true);
  socket_.EndGently();
  return false;
}

bool HttpConnection::ServeControl(const Request& request) {
  SocketBody body(socket_, request);
  const auto text = ReadAll(body);
  if (!text) return false;
  const Reply reply = Control(request, *text, context_);
  return ReplyWriter(socket_, std::nullopt, WantsClose(request), Date()).Send(reply, true);
}

std::optional<Reply> HttpConnection::ApplyFault(BodySource& body, const Fault& fault) {
  if (fault.kind == FaultKind::kResetBeforeBody) {
    socket_.Reset();
    return std::nullopt;
  }
  if (!Drain(body)) return std::nullopt;
  if (fault.kind == FaultKind::kAnswer) return FaultReply(fault);
  socket_.Reset();
  return std::nullopt;
}

std::optional<Reply> HttpConnection::Answer(const Request& request, BodySource& body,
                                            const std::optional<Fault>& fault,
                                            LoggedRequest& logged) {
  FaultyBody faulty(body, socket_, fault);
  const bool acts = !fault || !(fault->kind == FaultKind::kResetBeforeBody ||
                                fault->kind == FaultKind::kResetAfterBody ||
                                (fault->kind == FaultKind::kAnswer && !fault->at_byte));
  std::optional<Reply> reply =
      acts ? Handle(context_.state, request, faulty) : ApplyFault(faulty, *fault);
  if (acts) Drain(faulty);
  logged.body_bytes = faulty.passed_bytes();
  if (faulty.lost()) reply.reset();
  if (faulty.struck() && fault->kind == FaultKind::kAnswer) {
    ends_ = true;
    return FaultReply(*fault);
  }
  if (reply && fault && fault->kind == FaultKind::kLoseReply) {
    socket_.Reset();
    return std::nullopt;
  }
  return reply;
}

bool HttpConnection::ServeOne(const Request& request) {
  SocketBody body(socket_, request);
  if (!body.well_formed()) return Refused(Invalid("The length of the body is not clear."));
  const std::uint64_t index = context_.requests.fetch_add(1);
  const auto fault = context_.faults.Next(request, index);
  LoggedRequest logged = Log(request, index, number_);
  if (fault) logged.fault = Name(fault->kind);
  const auto reply = Answer(request, body, fault, logged);
  logged.status = reply ? reply->status : 0;
  context_.log.Add(std::move(logged));
  if (!reply) return false;
  if (ends_) return Refused(*reply);
  ReplyWriter writer(socket_, fault, WantsClose(request), Date());
  return writer.Send(*reply, request.method != "HEAD");
}

}  // namespace kinetic::gcs_server
