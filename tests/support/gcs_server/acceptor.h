#pragma once

#include "base/files/unique_fd.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace kinetic::gcs_server {

/// Listens on a port and starts a thread for each connection.
class Acceptor {
 public:
  using Serve = std::function<void(int fd, std::uint64_t number)>;

  /// listening() is false if the port is in use.
  Acceptor(const std::string& host, std::uint16_t port, Serve serve);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  /// Ends all connections and waits for their threads.
  ~Acceptor();

  bool listening() const { return port_ != 0; }
  std::uint16_t port() const { return port_; }
  std::uint64_t accepted() const { return accepted_.load(); }
  std::uint64_t open() const { return accepted_.load() - ended_.load(); }

 private:
  struct Peer {
    UniqueFd fd;
    std::atomic<bool> done{false};
    std::thread thread;
  };

  void Accept();
  void Take(UniqueFd fd);
  void Reap();

  Serve serve_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::list<Peer> peers_;
  std::thread thread_;
};

}  // namespace kinetic::gcs_server
