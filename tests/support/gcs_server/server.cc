#include "support/gcs_server/server.h"

#include "support/gcs_server/acceptor.h"
#include "support/gcs_server/http_connection.h"

#include <unistd.h>

namespace kinetic::gcs_server {

class Server::Impl {
 public:
  explicit Impl(const Options& options)
      : state(options.data_dir, options.behavior),
        context{state, faults, log},
        acceptor(options.host, options.port, [this](int fd, std::uint64_t number) {
          HttpConnection(context, fd, number).Serve();
        }) {
    state.access.SetAccounts(options.accounts);
  }

  Faults faults;
  RequestLog log;
  ServerState state;
  ConnectionContext context;
  Acceptor acceptor;  // last member: its threads use all the others
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

std::unique_ptr<Server> Server::Start(Options options) {
  if (::access(options.data_dir.c_str(), W_OK) != 0) return nullptr;
  auto impl = std::make_unique<Impl>(options);
  if (!impl->acceptor.listening()) return nullptr;
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const { return impl_->acceptor.port(); }
std::string Server::Url() const { return "http://127.0.0.1:" + std::to_string(port()); }
Faults& Server::faults() { return impl_->faults; }
DateSkew& Server::dates() { return impl_->context.state.dates; }
RequestLog& Server::log() { return impl_->log; }
std::uint64_t Server::requests() const { return impl_->context.requests; }
std::uint64_t Server::connections() const { return impl_->acceptor.accepted(); }
std::uint64_t Server::open_connections() const { return impl_->acceptor.open(); }

void Server::CreateBucket(const std::string& name) {
  (void)impl_->state.storage.CreateBucket({{"name", name},
                                           {"location", "US"},
                                           {"locationType", "multi-region"},
                                           {"storageClass", "STANDARD"}});
}

void Server::SetAccounts(std::vector<Account> accounts) {
  impl_->state.access.SetAccounts(std::move(accounts));
}

void Server::EndSessions(int status) { impl_->state.sessions.EndAll(status); }
std::size_t Server::open_sessions() const { return impl_->state.sessions.open(); }

}  // namespace kinetic::gcs_server
