#include "curl/transport.h"

#include "kinetic/try.h"

#include "curl/engine.h"
#include "curl/transfer.h"
#include "http/proxy.h"
#include "http/url.h"

#include <optional>
#include <span>
#include <utility>

namespace kinetic::curl {
namespace {

Error Stopped(const http::Request& request) {
  return {ErrorCode::kCancelled,
          request.method + " " + http::RedactedUrl(request.url).Text() + ": stopped",
          "",
          {}};
}

Error BecameShorter(const http::Request& request, std::uint64_t missing_bytes) {
  return {ErrorCode::kAborted,
          request.method + " " + http::RedactedUrl(request.url).Text() +
              ": the request body became shorter by " + std::to_string(missing_bytes) +
              " bytes during the transfer",
          "",
          {}};
}

/// Returns the proxy of a request without its password, or an empty text.
std::string ProxyFor(const http::Request& request, const Options& options) {
  const auto url = http::ParseUrl(request.url);
  if (!url || http::BypassesProxy(options.no_proxy, *url)) return {};
  const std::string proxy = http::ProxyOfScheme(options.proxy, *url);
  return proxy.substr(proxy.find_last_of("@/") + 1);
}

constexpr std::size_t kPieceBytes = 256U << 10;

/// The caller's side of one attempt at a request.
class Exchange {
 public:
  Exchange(Engine& engine, const http::Request& request, const http::Sink& sink)
      : engine_(&engine),
        request_(&request),
        sink_(&sink),
        transfer_(std::make_shared<Transfer>(Transfer::Kind{
            .has_body = request.body != nullptr, .reports_head = bool(request.on_head)})) {}

  Result<http::Response> Run(const Options& options, const std::stop_token& stop);

  /// Returns whether a reused connection was closed after a part of the body was read.
  bool MustResend() const { return !failed_ && transfer_->result().code == CURLE_SEND_FAIL_REWIND; }

 private:
  void Step();
  void ReadBody();
  void Fail(Error error);

  Engine* engine_;
  const http::Request* request_;
  const http::Sink* sink_;
  std::shared_ptr<Transfer> transfer_;
  std::string spare_;
  std::string piece_;             ///< a buffer for pieces of the body
  std::size_t piece_bytes_ = 0;   ///< in `piece_`
  std::uint64_t body_bytes_ = 0;  ///< read so far
  bool body_left_ = false;
  std::optional<Error> failed_;  ///< an error of body, sink or caller
  bool finished_ = false;
};

Result<http::Response> Exchange::Run(const Options& options, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(EasyHandle easy, MakeEasyHandle(*request_, options, *transfer_));
  body_left_ = request_->body != nullptr;
  engine_->Start(std::move(easy), transfer_, *request_);
  {
    const std::stop_callback on_stop(stop, [this] { transfer_->Stop(); });
    while (!finished_) Step();
  }
  if (failed_) return Failure(*std::move(failed_));
  if (TransferResult result = transfer_->result(); result.code != CURLE_OK) {
    result.proxy = ProxyFor(*request_, options);
    return Failure(ErrorFromResult(*request_, result, transfer_->error_text().data()));
  }
  if (!transfer_->head_complete()) {
    return kinetic::Fail(ErrorCode::kUnavailable,
                         request_->method + " " + http::RedactedUrl(request_->url).Text() +
                             ": the connection closed within the response headers");
  }
  return std::move(transfer_->response());
}

void Exchange::Step() {
  if (body_left_ && piece_bytes_ == 0 && !failed_) ReadBody();
  Transfer::Event event = transfer_->Wait(std::move(spare_), body_left_ && piece_bytes_ != 0);
  if (event.resume) engine_->Resume(transfer_);
  if (!failed_ && event.head_arrived) request_->on_head(transfer_->response());
  if (!failed_ && !event.arrived.empty()) {
    if (auto taken = (*sink_)(event.arrived); !taken) Fail(std::move(taken).error());
  }
  spare_ = std::move(event.arrived);
  finished_ = event.finished;
  if (finished_) return;
  if (event.stopped && !failed_) {
    Fail(Stopped(*request_));
  }
  if (failed_ || !event.ready_for_body || piece_bytes_ == 0) return;
  body_left_ = body_bytes_ < request_->body->size_bytes();
  if (transfer_->ProvideBody(piece_, std::exchange(piece_bytes_, 0))) engine_->Resume(transfer_);
}

void Exchange::ReadBody() {
  const std::uint64_t left = request_->body->size_bytes() - body_bytes_;
  if (left == 0) {
    body_left_ = false;
    return;
  }
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, left));
  if (piece_.size() < wanted) piece_.resize(wanted);
  // Fills the buffer, because each piece wakes the engine's thread.
  for (std::size_t have = 0; have < wanted;) {
    auto count = request_->body->Read(std::span(piece_).subspan(have, wanted - have));
    if (!count) return Fail(std::move(count).error());
    if (*count == 0) return Fail(BecameShorter(*request_, left - have));
    have += *count;
  }
  piece_bytes_ = wanted;
  body_bytes_ += wanted;
}

void Exchange::Fail(Error error) {
  failed_ = std::move(error);
  engine_->Cancel(transfer_);
}

}  // namespace

CurlTransport::CurlTransport(std::shared_ptr<Engine> engine, Options options)
    : engine_(std::move(engine)), options_(std::move(options)) {}

CurlTransport::~CurlTransport() = default;

Result<http::Response> CurlTransport::Stream(const http::Request& request, const http::Sink& sink,
                                             std::stop_token stop) {
  constexpr int kMostRewinds = 2;
  for (int rewinds = 0;; ++rewinds) {
    if (stop.stop_requested()) return Failure(Stopped(request));
    if (request.body) KINETIC_RETURN_IF_ERROR(request.body->Rewind());
    Exchange exchange(*engine_, request, sink);
    auto response = exchange.Run(options_, stop);
    if (response || !exchange.MustResend() || rewinds == kMostRewinds) return response;
  }
}

}  // namespace kinetic::curl
