#include "connect/lazy_connection.h"

#include "kinetic/try.h"

#include <utility>

namespace kinetic::connect {
namespace {

Dependencies WithRetryLimit(Dependencies deps, const CloudOptions& options) {
  deps.retry_limit = std::make_shared<http::RetryLimit>();
  // A time that the user has set applies from the first request on.
  const bool is_set = options.retry_for != CloudOptions().retry_for;
  if (is_set) deps.retry_limit->Set(std::chrono::milliseconds::max());
  return deps;
}

}  // namespace

void RetryReporter::OnRetry(const http::RetryNotice& notice) {
  constexpr std::chrono::seconds kImminent{1};
  if (waits_ == nullptr || (notice.attempt == 1 && notice.delay < kImminent)) return;
  waits_->OnWait("retrying: " + notice.cause, notice.elapsed);
}

LazyConnection::LazyConnection(CloudOptions options, const Dependencies& deps)
    : options_(std::move(options)),
      deps_(WithRetryLimit(deps, options_)),
      sessions_(deps.uploads.empty()
                    ? nullptr
                    : std::make_unique<gcs::FileSessionStore>(deps.fs, deps.clock, deps.uploads)),
      retries_(std::make_unique<RetryReporter>(options_.waits)) {}

Result<std::shared_ptr<Connection>> LazyConnection::Connect(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  if (!connection_) {
    KINETIC_ASSIGN_OR_RETURN(connection_, Connection::Open(options_, deps_, std::move(stop)));
  }
  return connection_;
}

std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)> LazyConnection::Opener() {
  return [this](std::stop_token stop) -> Result<std::shared_ptr<http::Transport>> {
    return Connect(std::move(stop));
  };
}

gcs::ClientOptions LazyConnection::GcsOptions() const {
  gcs::ClientOptions storage;
  if (!options_.storage_endpoint.empty()) storage.endpoint = options_.storage_endpoint;
  storage.user_project = options_.user_project;
  storage.sessions = sessions_.get();
  storage.retry.budget = options_.retry_for;
  storage.retry.observer = retries_.get();
  storage.retry.limit = deps_.retry_limit.get();
  return storage;
}

}  // namespace kinetic::connect
