#include "integration/gcs_server_harness.h"

#include "base/files/unique_fd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace kinetic::test {

namespace {

std::unique_ptr<http::Transport> NewTransport() {
  auto engine = curl::StartEngine();
  if (!engine) return nullptr;
  return std::make_unique<curl::CurlTransport>(*engine, curl::Options{});
}

}  // namespace

GcsServerTest::GcsServerTest(gcs_server::Options options)
    : server_(gcs_server::Server::Start(std::move(options))), transport_(NewTransport()) {
  server_->CreateBucket("b");
}

Result<http::Response> GcsServerTest::Try(const std::string& method, const std::string& path,
                                          std::string body, http::Headers headers) {
  http::Request request;
  request.method = method;
  request.url = path.starts_with("http") ? path : server_->Url() + path;
  request.headers = std::move(headers);
  const bool sends = method != "GET" && method != "DELETE";
  if (sends) request.body = std::make_shared<http::BytesBody>(std::move(body));
  return transport_->Send(request, {});
}

Result<http::Response> GcsServerTest::TryOnNewConnection(const std::string& method,
                                                         const std::string& path,
                                                         std::string body) {
  auto pooled = std::exchange(transport_, NewTransport());
  auto response = Try(method, path, std::move(body));
  transport_ = std::move(pooled);
  return response;
}

http::Response GcsServerTest::Do(const std::string& method, const std::string& path,
                                 std::string body, http::Headers headers) {
  auto response = Try(method, path, std::move(body), std::move(headers));
  EXPECT_TRUE(response) << method << " " << path << ": " << response.error().message;
  return response ? *std::move(response) : http::Response{};
}

nlohmann::json GcsServerTest::Json(const std::string& method, const std::string& path,
                                   std::string body, http::Headers headers) {
  const auto response = Do(method, path, std::move(body), std::move(headers));
  EXPECT_EQ(response.status, 200) << method << " " << path << ": " << response.body;
  auto parsed = nlohmann::json::parse(response.body, nullptr, false);
  return parsed.is_object() ? parsed : nlohmann::json::object();
}

nlohmann::json GcsServerTest::Store(const std::string& name, const std::string& bytes) {
  return Json("POST", "/upload/storage/v1/b/b/o?uploadType=media&name=" + http::PercentEncode(name),
              bytes, {{"Content-Type", "text/plain"}});
}

std::string GcsServerTest::Read(const std::string& name) {
  return Do("GET", PathOf(name) + "?alt=media").body;
}

std::string GcsServerTest::PathOf(std::string_view name) {
  return "/storage/v1/b/b/o/" + http::PercentEncode(name);
}

std::string GcsServerTest::Raw(const std::string& request) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server_->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  ::shutdown(fd.get(), SHUT_WR);
  std::string answer;
  std::array<char, 4096> piece;
  for (ssize_t count = 0; (count = ::recv(fd.get(), piece.data(), piece.size(), 0)) > 0;) {
    answer.append(piece.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

std::string Pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + (i >> 11));
  return bytes;
}

std::string ReasonOf(const http::Response& response) {
  const auto body = nlohmann::json::parse(response.body, nullptr, false);
  if (!body.is_object() || !body.contains("error")) return response.body;
  return body["error"]["errors"][0].value("reason", "");
}

}  // namespace kinetic::test
