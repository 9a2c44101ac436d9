#include "base/strings.h"
#include "curl/library.h"
#include "curl/transfer.h"
#include "http/url.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

namespace kinetic::curl {
namespace {

struct Row {
  CURLcode code;
  ErrorCode kind;
  std::string_view hint;
};

constexpr std::string_view kCheckNetwork = "check the address, the network and the proxy settings";
constexpr std::string_view kCheckCertificates =
    "check the server's certificate, the trusted CA, and this machine's clock";

/// Other codes are kUnavailable.
constexpr std::array<Row, 13> kRows{{
    {CURLE_COULDNT_RESOLVE_HOST, ErrorCode::kUnavailable, kCheckNetwork},
    {CURLE_COULDNT_RESOLVE_PROXY, ErrorCode::kUnavailable, kCheckNetwork},
    {CURLE_COULDNT_CONNECT, ErrorCode::kUnavailable, kCheckNetwork},
    {CURLE_PEER_FAILED_VERIFICATION, ErrorCode::kFailedPrecondition, kCheckCertificates},
    {CURLE_SSL_CACERT_BADFILE, ErrorCode::kFailedPrecondition, kCheckCertificates},
    {CURLE_SSL_CERTPROBLEM, ErrorCode::kFailedPrecondition,
     "check the client certificate and its key"},
    {CURLE_SSL_CIPHER, ErrorCode::kFailedPrecondition, kCheckCertificates},
    {CURLE_URL_MALFORMAT, ErrorCode::kInvalidArgument, ""},
    {CURLE_UNSUPPORTED_PROTOCOL, ErrorCode::kInvalidArgument, ""},
    {CURLE_TOO_MANY_REDIRECTS, ErrorCode::kFailedPrecondition, ""},
    {CURLE_OUT_OF_MEMORY, ErrorCode::kResourceExhausted, ""},
    {CURLE_ABORTED_BY_CALLBACK, ErrorCode::kCancelled, ""},
    {CURLE_OPERATION_TIMEDOUT, ErrorCode::kDeadlineExceeded, kCheckNetwork},
}};

std::string HostOf(const std::string& url) {
  const auto parts = http::ParseUrl(url);
  return parts ? parts->host : "the server";
}

/// Returns what could not be reached: the host of the request, or its proxy.
std::string PeerOf(const http::Request& request, const TransferResult& result) {
  return result.proxy.empty() ? HostOf(request.url) : "the proxy " + result.proxy;
}

/// Names the peer and the cause, which libcurl calls "Couldn't connect to server".
std::string ConnectMessage(const http::Request& request, const TransferResult& result,
                           const std::string& text) {
  if (result.connect_errno == 0) return text;
  std::string peer = PeerOf(request, result);
  const auto url = http::ParseUrl(request.url);
  if (result.proxy.empty() && url && !url->port.empty()) peer += " port " + url->port;
  const std::error_code cause(result.connect_errno, std::generic_category());
  return "Failed to connect to " + peer + ": " + ToLower(cause.message());
}

std::string TimeoutMessage(const http::Request& request, const TransferResult& result) {
  if (!result.reached_server) return "timed out connecting to " + PeerOf(request, result);
  const auto seconds = [](std::chrono::milliseconds time) {
    return std::to_string(time.count() / 1000) + " s";
  };
  if (result.silent >= request.stall_timeout)
    return "no data for " + seconds(request.stall_timeout);
  return "less than " + std::to_string(kLeastBytesPerSecond) + " bytes per second for " +
         seconds(TrickleTimeout(request.stall_timeout));
}

Error ProxyError(const std::string& what, long status) {
  if (status == 407) {
    return {ErrorCode::kUnauthenticated,
            what + ": the proxy requires a user name and password (407)",
            "put them in the proxy URL: http://USER:PASSWORD@HOST:PORT",
            {}};
  }
  return {ErrorCode::kUnavailable,
          what + ": the proxy rejected the connection (" + std::to_string(status) + ")",
          "check the proxy settings",
          {}};
}

Error BaseError(const http::Request& request, const TransferResult& result, std::string_view text) {
  const std::string what = request.method + " " + http::RedactedUrl(request.url).Text();
  if (result.proxy_status >= 300) return ProxyError(what, result.proxy_status);
  std::string cause(text.empty() ? Api().easy_strerror(result.code) : text);
  if (result.code == CURLE_OPERATION_TIMEDOUT) cause = TimeoutMessage(request, result);
  if (result.code == CURLE_COULDNT_CONNECT) cause = ConnectMessage(request, result, cause);
  // libcurl's messages for connections that break before the certificate is verified.
  const bool broken = text.starts_with("OpenSSL SSL_connect: ") ||
                      text.starts_with("Send failure: ") || text.starts_with("Recv failure: ");
  if (result.code == CURLE_SSL_CONNECT_ERROR && result.certificate_refused && !broken) {
    // libcurl reports a CA with the same name and another key without mentioning certificates.
    return {ErrorCode::kFailedPrecondition,
            what + ": the certificate of " + HostOf(request.url) +
                " is not signed by the trusted CA (" + cause + ")",
            std::string(kCheckCertificates),
            {}};
  }
  // libcurl reports a field above 100 KiB as lack of memory.
  if (text.find("Too large response headers") != std::string_view::npos ||
      (result.code == CURLE_OUT_OF_MEMORY && result.reached_server)) {
    return {
        ErrorCode::kUnavailable,
        what + ": the header of the response is too large",
        "a proxy or another server may have responded: check the address and the proxy settings",
        {}};
  }
  if (result.code == CURLE_UNSUPPORTED_PROTOCOL && result.reached_server) {
    return {ErrorCode::kUnavailable, what + ": the response is not HTTP", "", {}};
  }
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.code == result.code;
  });
  if (row == kRows.end()) return {ErrorCode::kUnavailable, what + ": " + cause, "", {}};
  return {row->kind, what + ": " + cause, std::string(row->hint), {}};
}

}  // namespace

std::chrono::milliseconds TrickleTimeout(std::chrono::milliseconds stall_timeout) {
  constexpr std::chrono::minutes kLongestOfTransfers{1};
  constexpr int kStalls = 4;  // Cloud Storage: 2 minutes, as long as requests are retried
  if (stall_timeout > kLongestOfTransfers) return {};
  return kStalls * stall_timeout;
}

Error ErrorFromResult(const http::Request& request, const TransferResult& result,
                      std::string_view text) {
  Error error = BaseError(request, result, text);
  if (result.reached_server) return error;
  return std::move(error).With("sent", "nothing");
}

}  // namespace kinetic::curl
