#include "support/gcs_server/acceptor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

namespace kinetic::gcs_server {

Acceptor::Acceptor(const std::string& host, std::uint16_t port, Serve serve)
    : serve_(std::move(serve)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const int on = 1;
  ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 ||
      ::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 512) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0) {
    return;
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Accept(); });
}

Acceptor::~Acceptor() {
  stopping_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
  for (Peer& peer : peers_) {
    {
      const std::lock_guard lock(mutex_);
      if (peer.fd) ::shutdown(peer.fd.get(), SHUT_RDWR);
    }
    peer.thread.join();
  }
}

void Acceptor::Accept() {
  // A disconnected client is an error of sendfile and must not end the program. Connection threads
  // inherit the signal mask.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  while (!stopping_) {
    UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (fd) Take(std::move(fd));
  }
}

void Acceptor::Take(UniqueFd fd) {
  Reap();
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::uint64_t number = accepted_.fetch_add(1);
  Peer& peer = peers_.emplace_back();
  peer.fd = std::move(fd);
  peer.thread = std::thread([this, &peer, number] {
    serve_(peer.fd.get(), number);
    const std::lock_guard lock(mutex_);
    peer.fd.Reset();
    ++ended_;
    peer.done = true;
  });
}

void Acceptor::Reap() {
  for (auto peer = peers_.begin(); peer != peers_.end();) {
    if (!peer->done) {
      ++peer;
      continue;
    }
    peer->thread.join();
    peer = peers_.erase(peer);
  }
}

}  // namespace kinetic::gcs_server
