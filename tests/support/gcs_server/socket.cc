#include "support/gcs_server/socket.h"

#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace kinetic::gcs_server {
namespace {

constexpr std::size_t kHeadBytes = 64U << 10;
constexpr std::size_t kReceiveBytes = 64U << 10;

}  // namespace

bool Socket::Receive() {
  if (read_ == buffer_.size()) {
    buffer_.clear();
    read_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReceiveBytes);
  const ssize_t count = ::recv(fd_, buffer_.data() + before, kReceiveBytes, 0);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count > 0;
}

std::optional<std::string> Socket::ReadHead() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t end = 0;
  while ((end = buffer_.find(kEnd, read_)) == std::string::npos) {
    if (buffer_.size() - read_ > kHeadBytes || !Receive()) return std::nullopt;
  }
  std::string head = buffer_.substr(read_, end + kEnd.size() - read_);
  read_ = end + kEnd.size();
  return head;
}

std::optional<std::string> Socket::ReadLine() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n", read_)) == std::string::npos) {
    if (buffer_.size() - read_ > kHeadBytes || !Receive()) return std::nullopt;
  }
  std::string line = buffer_.substr(read_, end - read_);
  read_ = end + 2;
  return line;
}

std::size_t Socket::Read(std::span<char> buffer) {
  if (read_ < buffer_.size()) {
    const std::size_t count = std::min(buffer.size(), buffer_.size() - read_);
    std::copy_n(buffer_.data() + read_, count, buffer.data());
    read_ += count;
    return count;
  }
  const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), 0);
  return static_cast<std::size_t>(std::max<ssize_t>(count, 0));
}

bool Socket::Send(std::string_view bytes, bool more_follows) {
  const int flags = MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), flags);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Socket::SendFile(int file, std::uint64_t offset, std::uint64_t size_bytes) {
  auto at = static_cast<off_t>(offset);
  while (size_bytes > 0) {
    const ssize_t sent = ::sendfile(fd_, file, &at, size_bytes);
    if (sent <= 0) return false;
    size_bytes -= static_cast<std::uint64_t>(sent);
  }
  return true;
}

void Socket::Reset() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void Socket::EndGently() {
  ::shutdown(fd_, SHUT_WR);
  std::array<char, 65'536> rest;
  pollfd readable{fd_, POLLIN, 0};
  while (::poll(&readable, 1, 2000) > 0 && ::recv(fd_, rest.data(), rest.size(), 0) > 0) {
  }
}

void Socket::Stall(std::chrono::milliseconds time) {
  pollfd gone{fd_, POLLRDHUP, 0};
  ::poll(&gone, 1, time.count() == 0 ? -1 : static_cast<int>(time.count()));
}

}  // namespace kinetic::gcs_server
