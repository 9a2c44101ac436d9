#include "support/bucket_server.h"

#include <stdexcept>
#include <utility>

namespace kinetic::test {

gcs_server::Server& BucketServer::server() {
  if (server_) return *server_;
  gcs_server::Options options;
  options.data_dir = folder_.path();
  options.behavior.clock = &clock_;
  server_ = gcs_server::Server::Start(std::move(options));
  if (!server_) throw std::runtime_error("the stand-in for Cloud Storage does not start");
  server_->CreateBucket("bucket");
  return *server_;
}

std::shared_ptr<http::Transport> BucketServer::Connect(curl::Options options) {
  auto engine = curl::StartEngine();
  if (!engine) throw std::runtime_error(engine.error().message);
  return std::make_shared<curl::CurlTransport>(*std::move(engine), std::move(options));
}

}  // namespace kinetic::test
