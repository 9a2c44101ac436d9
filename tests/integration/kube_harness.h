#pragma once

#include "curl/transport.h"
#include "http/transport.h"
#include "kube/client.h"
#include "support/cluster.h"
#include "support/tcp_proxy.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::test {

inline constexpr kube::Resource kConfigMaps{"", "v1", "configmaps"};

/// A transport that adds its own token.
class TokenTransport final : public http::Transport {
 public:
  TokenTransport(http::Transport& inner, std::string token)
      : inner_(inner), token_(std::move(token)) {}
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  http::Transport& inner_;
  std::string token_;
};

/// The client with a real API server, as administrator by certificate, through a proxy that can
/// fail.
class KubeClusterTest : public ClusterTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// @param certificate  presents the administrator's. Uses HTTP/2 as other clients do.
  std::unique_ptr<http::Transport> MakeTransport(bool certificate) const;
  static kube::ClientOptions Options(const std::string& server);
  std::string ThroughProxy() const;
  std::string Read(const std::string& file) const;
  /// Compacts etcd to the last version.
  void CompactHistory() const;

  Value ConfigMap(const std::string& name, const std::string& text = "x") const;
  kube::Client& client() { return *client_; }
  TcpProxy& proxy() { return *proxy_; }

  std::unique_ptr<http::Transport> transport_;

 private:
  std::unique_ptr<TcpProxy> proxy_;
  std::unique_ptr<kube::Client> client_;
};

/// A watch on its own thread, and its events.
class RecordingWatch {
 public:
  RecordingWatch(const kube::Client& client, const kube::Resource& resource, std::string name_space,
                 kube::WatchOptions options = {}, kube::ListOptions query = {});
  RecordingWatch(const RecordingWatch&) = delete;
  RecordingWatch& operator=(const RecordingWatch&) = delete;
  ~RecordingWatch();

  /// Events in order: "+name version", "-name", "synced", "trouble", "well", "end: reason".
  std::vector<std::string> Events() const;
  /// Waits until the condition holds; fails the test after a minute or when the watch ends.
  bool Await(const std::function<bool(const std::vector<std::string>& told)>& told);
  /// The same for the last event, ignoring trouble and the objects that every namespace has.
  bool AwaitLast(const std::string& begin);
  /// Stops the watch. @returns its end
  Error Stop();

 private:
  void Add(std::string word);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> told_;
  std::stop_source stop_;
  Error end_;
  std::thread thread_;
};

}  // namespace kinetic::test
