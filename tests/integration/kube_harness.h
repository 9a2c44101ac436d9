#pragma once

#include "curl/options.h"
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

/// A transport that shows a token of its own.
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

/// The client against a real API server, as the administrator by certificate, through a proxy that
/// can go bad.
class KubeClusterTest : public ClusterTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// @param certificate  shows the administrator's. Over HTTP/2, as any client.
  std::unique_ptr<http::Transport> MakeTransport(bool certificate) const;
  static kube::ClientOptions Options(const std::string& server);
  std::string ThroughProxy() const;
  std::string Read(const std::string& file) const;
  /// Etcd forgets every version but the last.
  void CompactHistory() const;

  Value ConfigMap(const std::string& name, const std::string& text = "x") const;
  kube::Client& client() { return *client_; }
  TcpProxy& proxy() { return *proxy_; }

  std::unique_ptr<http::Transport> transport_;

 private:
  std::unique_ptr<TcpProxy> proxy_;
  std::unique_ptr<kube::Client> client_;
};

/// A watch on a thread of its own, and what it told.
class Watching {
 public:
  Watching(const kube::Client& client, const kube::Resource& resource, std::string name_space,
           kube::WatchOptions options = {}, kube::Query query = {});
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching();

  /// "+name version", "-name", "synced", "trouble", "well", "end: why", in order.
  std::vector<std::string> Told() const;
  /// Waits until `told` holds; after a minute, or at its end, that is a failure of the test.
  bool Await(const std::function<bool(const std::vector<std::string>& told)>& told);
  /// The same for the last word; trouble, and what every namespace is given, do not count.
  bool AwaitLast(const std::string& begin);
  /// Stops it. @returns its end.
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
