#include "kinetic/try.h"

#include "curl/engine.h"
#include "http/proxy.h"
#include "http/url.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string>
#include <tuple>

namespace kinetic::curl {
namespace {

constexpr long kReceiveBufferBytes = 512L << 10;
constexpr long kSendBufferBytes = 256L << 10;

std::size_t OnData(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  return static_cast<Transfer*>(transfer)->OnData({bytes, size * count});
}

std::size_t OnReadBody(char* buffer, std::size_t size, std::size_t count, void* transfer) {
  return static_cast<Transfer*>(transfer)->OnReadBody({buffer, size * count});
}

std::size_t OnHeader(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  static_cast<Transfer*>(transfer)->OnHeader({bytes, size * count});
  return size * count;
}

/// Bodies cannot be rewound here; the transport resends the request.
int OnSeek(void*, curl_off_t, int) { return CURL_SEEKFUNC_CANTSEEK; }

/// Makes the kernel close a connection whose peer does not respond, with all requests that share
/// it.
int OnSocket(void* options, curl_socket_t socket, curlsocktype) {
  const std::chrono::milliseconds timeout = static_cast<const Options*>(options)->peer_timeout;
  const auto limit = static_cast<unsigned>(timeout.count());
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
  return CURL_SOCKOPT_OK;
}

template <typename Value>
bool Set(CURL* easy, CURLoption option, Value value) {
  return Api().easy_setopt(easy, option, value) == CURLE_OK;
}

bool SetBlob(CURL* easy, CURLoption option, const std::string& bytes) {
  if (bytes.empty()) return true;
  // libcurl does not write to the data.
  curl_blob blob{const_cast<char*>(bytes.data()),  // NOLINT(cppcoreguidelines-pro-type-const-cast)
                 bytes.size(), CURL_BLOB_COPY};
  return Set(easy, option, &blob);
}

bool SetTls(CURL* easy, const Options& options) {
  const long verify = options.verify_tls ? 1 : 0;
  return Set(easy, CURLOPT_SSL_VERIFYPEER, verify) &&
         Set(easy, CURLOPT_SSL_VERIFYHOST, verify * 2) &&
         SetBlob(easy, CURLOPT_CAINFO_BLOB, options.ca_pem) &&
         SetBlob(easy, CURLOPT_SSLCERT_BLOB, options.client_certificate_pem) &&
         SetBlob(easy, CURLOPT_SSLKEY_BLOB, options.client_key_pem);
}

/// Enables TCP keep-alive probes for idle connections.
bool SetPeerTimeout(CURL* easy, const Options& options) {
  const long timeout = options.peer_timeout.count();
  return Set(easy, CURLOPT_SOCKOPTFUNCTION, &OnSocket) &&
         Set(easy, CURLOPT_SOCKOPTDATA, &options) && Set(easy, CURLOPT_TCP_KEEPALIVE, 1L) &&
         Set(easy, CURLOPT_TCP_KEEPIDLE, timeout) &&
         Set(easy, CURLOPT_TCP_KEEPINTVL, std::max(1L, timeout / 4));
}

/// Sets the proxy for the host that is dialled, which is not the host of the URL if there is a TLS
/// server name. libcurl reads the list of exceptions only for the targets of redirects.
bool SetProxy(CURL* easy, const http::Request& request, const http::UrlParts& parts,
              const Options& options) {
  const bool direct = http::BypassesProxy(options.no_proxy, parts);
  std::string exceptions;
  if (request.follow_redirects) {
    exceptions = options.no_proxy + ",localhost,127.0.0.1,::1" + (direct ? "," + parts.host : "");
  }
  // An empty proxy prevents libcurl from reading environment variables.
  const std::string proxy =
      direct && exceptions.empty() ? "" : http::ProxyOfScheme(options.proxy, parts);
  return Set(easy, CURLOPT_PROXY, proxy.c_str()) && Set(easy, CURLOPT_NOPROXY, exceptions.c_str());
}

bool SetNetwork(CURL* easy, const Options& options) {
  long version = CURL_HTTP_VERSION_2TLS;
  if (options.http_version == HttpVersion::kHttp1) version = CURL_HTTP_VERSION_1_1;
  if (options.http_version == HttpVersion::kHttp2) version = CURL_HTTP_VERSION_2_0;
  return Set(easy, CURLOPT_HTTP_VERSION, version) &&
         Set(easy, CURLOPT_PIPEWAIT, options.share_connection ? 1L : 0L) &&
         Set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) && Set(easy, CURLOPT_NOSIGNAL, 1L) &&
         Set(easy, CURLOPT_USERAGENT, options.user_agent.c_str()) &&
         (!options.compressed || Set(easy, CURLOPT_ACCEPT_ENCODING, "gzip")) &&
         SetPeerTimeout(easy, options) && SetTls(easy, options);
}

bool SetCallbacks(CURL* easy, Transfer& transfer) {
  return Set(easy, CURLOPT_WRITEFUNCTION, &OnData) && Set(easy, CURLOPT_WRITEDATA, &transfer) &&
         Set(easy, CURLOPT_HEADERFUNCTION, &OnHeader) && Set(easy, CURLOPT_HEADERDATA, &transfer) &&
         Set(easy, CURLOPT_READFUNCTION, &OnReadBody) && Set(easy, CURLOPT_READDATA, &transfer) &&
         Set(easy, CURLOPT_SEEKFUNCTION, &OnSeek) &&
         Set(easy, CURLOPT_ERRORBUFFER, transfer.error_text().data()) &&
         Set(easy, CURLOPT_PRIVATE, &transfer) &&
         Set(easy, CURLOPT_BUFFERSIZE, kReceiveBufferBytes) &&
         Set(easy, CURLOPT_UPLOAD_BUFFERSIZE, kSendBufferBytes);
}

bool SetMethod(CURL* easy, const http::Request& request) {
  if (request.method == "HEAD") return Set(easy, CURLOPT_NOBODY, 1L);
  if (request.body) {
    const auto size = static_cast<curl_off_t>(request.body->size_bytes());
    return Set(easy, CURLOPT_UPLOAD, 1L) && Set(easy, CURLOPT_INFILESIZE_LARGE, size) &&
           Set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  return Set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

bool SetRedirects(CURL* easy, const http::Request& request) {
  // Redirects from https to http are not followed.
  const char* protocols = request.url.starts_with("https:") ? "https" : "http,https";
  return Set(easy, CURLOPT_FOLLOWLOCATION, request.follow_redirects ? 1L : 0L) &&
         Set(easy, CURLOPT_MAXREDIRS, 5L) && Set(easy, CURLOPT_REDIR_PROTOCOLS_STR, protocols) &&
         Set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
}

bool Append(std::unique_ptr<curl_slist, ListCleanup>& list, const std::string& line) {
  curl_slist* longer = Api().slist_append(list.get(), line.c_str());
  if (longer == nullptr) return false;
  std::ignore = list.release();  // now owned by the longer list
  list.reset(longer);
  return true;
}

bool AppendHeader(EasyHandle& easy, const std::string& line) { return Append(easy.headers, line); }

/// Uses the TLS server name as the host of the URL, because libcurl verifies that host, and
/// connects to the caller's host.
bool SetAddress(EasyHandle& easy, const http::Request& request, const http::UrlParts& parts,
                const Options& options) {
  CURL* handle = easy.handle.get();
  if (options.tls_server_name.empty() || parts.scheme != "https") {
    return Set(handle, CURLOPT_URL, request.url.c_str());
  }
  const std::string& name = options.tls_server_name;
  const std::string port = parts.port.empty() ? "443" : parts.port;
  const bool is_ipv6 = name.find(':') != std::string::npos && !name.starts_with('[');
  const std::string host = is_ipv6 ? "[" + name + "]" : name;
  const std::string rest = parts.query.empty() ? parts.path : parts.path + "?" + parts.query;
  const std::string url = "https://" + host + ":" + port + rest;
  return Append(easy.connect_to, host + ":" + port + ":" + parts.host + ":" + port) &&
         AppendHeader(easy, "Host: " + parts.host + (port == "443" ? "" : ":" + port)) &&
         Set(handle, CURLOPT_CONNECT_TO, easy.connect_to.get()) &&
         Set(handle, CURLOPT_URL, url.c_str());
}

bool SetHeaders(EasyHandle& easy, const http::Request& request) {
  for (const auto& [name, value] : request.headers) {
    // libcurl writes a field without a value only when its name ends in a semicolon.
    if (!AppendHeader(easy, value.empty() ? name + ";" : name + ": " + value)) return false;
  }
  // Avoids the round trip for "100 Continue".
  if (request.body && !AppendHeader(easy, "Expect:")) return false;
  return Set(easy.handle.get(), CURLOPT_HTTPHEADER, easy.headers.get());
}

}  // namespace

Result<EasyHandle> MakeEasyHandle(const http::Request& request, const Options& options,
                                  Transfer& transfer) {
  KINETIC_ASSIGN_OR_RETURN(const http::UrlParts parts, http::ParseUrl(request.url));
  EasyHandle easy{nullptr, nullptr, std::unique_ptr<CURL, EasyCleanup>(Api().easy_init())};
  CURL* handle = easy.handle.get();
  if (handle == nullptr)
    return Fail(ErrorCode::kResourceExhausted, "cannot send a request: out of memory");
  const long connect = request.connect_timeout.count();
  const bool set = SetAddress(easy, request, parts, options) &&
                   Set(handle, CURLOPT_CONNECTTIMEOUT_MS, connect) && SetNetwork(handle, options) &&
                   SetProxy(handle, request, parts, options) && SetCallbacks(handle, transfer) &&
                   SetMethod(handle, request) && SetRedirects(handle, request) &&
                   SetHeaders(easy, request);
  if (!set) {
    return Fail(ErrorCode::kInvalidArgument,
                "preparing a request to " + parts.host + ": libcurl rejected an option");
  }
  return easy;
}

TransferResult ReadResult(CURL* easy, CURLcode code) {
  TransferResult result;
  result.code = code;
  const auto number = [&](CURLINFO info) {
    curl_off_t value = 0;
    return Api().easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
  };
  result.timing.first_byte = std::chrono::microseconds(number(CURLINFO_STARTTRANSFER_TIME_T));
  result.timing.total = std::chrono::microseconds(number(CURLINFO_TOTAL_TIME_T));
  result.timing.sent_bytes = static_cast<std::uint64_t>(number(CURLINFO_SIZE_UPLOAD_T));
  result.timing.received_bytes = static_cast<std::uint64_t>(number(CURLINFO_SIZE_DOWNLOAD_T));
  result.reached_server = number(CURLINFO_PRETRANSFER_TIME_T) > 0;
  long connects = 0;
  Api().easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
  result.timing.new_connection = connects > 0;
  Api().easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &result.proxy_status);
  long connect_errno = 0;
  Api().easy_getinfo(easy, CURLINFO_OS_ERRNO, &connect_errno);
  result.connect_errno = static_cast<int>(connect_errno);
  long verification = 0;
  Api().easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verification);
  result.certificate_refused = verification != 0;
  return result;
}

}  // namespace kinetic::curl
