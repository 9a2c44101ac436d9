#include "connect/lazy_connection.h"

#include "base/try.h"

#include <utility>

namespace kinetic::connect {

Connector::Connector(CloudOptions options, const Seams& seams)
    : options_(std::move(options)),
      seams_(seams),
      sessions_(seams.uploads.empty() ? nullptr
                                      : std::make_unique<gcs::FileSessionStore>(
                                            seams.fs, seams.clock, seams.uploads)) {}

Result<std::shared_ptr<Connection>> Connector::Connect(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  if (!connection_) {
    KINETIC_ASSIGN_OR_RETURN(connection_, Connection::Open(options_, seams_, std::move(stop)));
  }
  return connection_;
}

std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)> Connector::Connecting() {
  return [this](std::stop_token stop) -> Result<std::shared_ptr<http::Transport>> {
    return Connect(std::move(stop));
  };
}

gcs::ClientOptions Connector::Storage() const {
  gcs::ClientOptions storage;
  if (!options_.storage_endpoint.empty()) storage.endpoint = options_.storage_endpoint;
  storage.user_project = options_.user_project;
  storage.sessions = sessions_.get();
  return storage;
}

}  // namespace kinetic::connect
