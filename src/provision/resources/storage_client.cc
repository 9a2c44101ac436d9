#include "provision/resources/storage_client.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "google/api/services.h"

#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

constexpr std::size_t kDeletedAtOnce = 1'000;

std::string StorageEndpoint(const CloudOptions& cloud) {
  if (!cloud.storage_endpoint.empty()) return cloud.storage_endpoint;
  if (!cloud.api_endpoint.empty()) return cloud.api_endpoint + "/" + std::string(google::kStorage);
  return gcs::ClientOptions{}.endpoint;
}

}  // namespace

Result<StorageClient> StorageClient::Open(const ClusterAdminOptions& options,
                                          std::stop_token stop) {
  CloudOptions cloud = options.cloud;
  cloud.storage_endpoint = StorageEndpoint(cloud);
  const connect::Dependencies deps{
      .fs = PosixFileSystem(), .clock = SystemClock(), .log = options.log};
  StorageClient client;
  client.options.endpoint = cloud.storage_endpoint;
  KINETIC_ASSIGN_OR_RETURN(client.connection,
                           connect::Connection::Open(cloud, deps, std::move(stop)));
  return client;
}

Status RemoveObjects(const std::string& bucket, const std::string& prefix,
                     const ClusterAdminOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto storage, StorageClient::Open(options, stop));
  const gcs::Client client(*storage.connection, SystemClock(), bucket, storage.options);
  for (;;) {
    std::vector<gcs::DeleteRequest> requests;
    const auto add = [&](const gcs::Object& object) -> Result<bool> {
      requests.push_back({.name = object.name});
      return requests.size() < kDeletedAtOnce;
    };
    const Status listed = client.List({.prefix = prefix}, add, nullptr, stop);
    if (!listed && listed.error().code == ErrorCode::kNotFound) return {};
    KINETIC_RETURN_IF_ERROR(listed);
    if (requests.empty()) return {};
    KINETIC_RETURN_IF_ERROR(client.DeleteAll(requests, stop));
  }
}

}  // namespace kinetic::provision
