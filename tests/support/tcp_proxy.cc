#include "support/tcp_proxy.h"

#include "base/files/unique_fd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace kinetic::test {
namespace {

int Dial(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return fd;
  }
  if (fd >= 0) ::close(fd);
  return -1;
}

/// Returns false at the end of the connection.
bool PassOn(int from, int to, bool drop) {
  std::array<char, 65'536> buffer;
  const ssize_t count = ::recv(from, buffer.data(), buffer.size(), 0);
  if (count <= 0) return false;
  if (drop) return true;
  ssize_t sent = 0;
  while (sent < count) {
    const ssize_t written =
        ::send(to, buffer.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
    if (written <= 0) return false;
    sent += written;
  }
  return true;
}

}  // namespace

struct TcpProxy::Pair {
  Connection& client;
  int server = -1;
  std::atomic<bool> forgotten{false};
};

TcpProxy::TcpProxy(std::string host, std::uint16_t port)
    : host_(std::move(host)),
      to_port_(port),
      server_([this](Connection& connection, int) { Pass(connection); }) {}

TcpProxy::~TcpProxy() { ResetConnections(); }

void TcpProxy::Pass(Connection& client) {
  const UniqueFd server(refuse_ ? -1 : Dial(host_, to_port_));
  if (server.get() < 0) return client.Reset();
  Pair pair{client, server.get()};
  {
    const std::lock_guard lock(mutex_);
    pairs_.insert(&pair);
  }
  std::array<pollfd, 2> ends{{{client.fd(), POLLIN, 0}, {pair.server, POLLIN, 0}}};
  for (bool open = true; open && ::poll(ends.data(), ends.size(), -1) > 0;) {
    if (ends[0].revents != 0) open = PassOn(client.fd(), pair.server, pair.forgotten);
    if (ends[1].revents != 0 && open) open = PassOn(pair.server, client.fd(), pair.forgotten);
  }
  const std::lock_guard lock(mutex_);
  pairs_.erase(&pair);
}

void TcpProxy::ForAll(void (*act)(Pair&)) {
  const std::lock_guard lock(mutex_);
  for (Pair* pair : pairs_) act(*pair);
}

void TcpProxy::SilenceConnections() {
  ForAll([](Pair& pair) {
    pair.client.StopReceiving();
    pair.forgotten = true;
  });
}

void TcpProxy::ResetConnections() {
  ForAll([](Pair& pair) {
    const linger now{1, 0};
    ::setsockopt(pair.client.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::shutdown(pair.client.fd(), SHUT_RDWR);
    ::shutdown(pair.server, SHUT_RDWR);
  });
}

}  // namespace kinetic::test
