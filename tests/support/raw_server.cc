#include "support/raw_server.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace kinetic::test {

bool Connection::Fill() {
  std::array<char, 65'536> chunk;
  const ssize_t count = ::recv(fd_, chunk.data(), chunk.size(), 0);
  if (count <= 0) return false;
  buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  return true;
}

std::string Connection::ReadHead() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t end = 0;
  while ((end = buffer_.find(kEnd)) == std::string::npos) {
    if (!Fill()) return {};
  }
  std::string head = buffer_.substr(0, end + kEnd.size());
  buffer_.erase(0, head.size());
  return head;
}

std::string Connection::ReadBytes(std::size_t count) {
  while (buffer_.size() < count && Fill()) {
  }
  std::string bytes = buffer_.substr(0, count);
  buffer_.erase(0, bytes.size());
  return bytes;
}

bool Connection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Connection::Reset() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void Connection::StopReceiving() {
  sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog filter{1, &nothing};
  if (::setsockopt(fd_, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) std::abort();
}

void Connection::AwaitClose() {
  while (Fill()) buffer_.clear();
}

RawServer::RawServer(Handler handler)
    : handler_(std::move(handler)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
}

RawServer::~RawServer() {
  acceptor_.request_stop();
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  threads_.clear();
}

std::string RawServer::Url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void RawServer::Accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd, number = accepted_.fetch_add(1)] {
      Connection connection(fd);
      handler_(connection, number);
      const std::lock_guard closing(mutex_);
      std::erase(open_, fd);
      ::close(fd);
    });
  }
}

std::string AnswerText(int status, std::string_view body, std::string_view more_headers) {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more_headers) + "\r\n" + std::string(body);
}

}  // namespace kinetic::test
