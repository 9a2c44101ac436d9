#include "kube/client.h"
#include "kube/watch/watcher.h"

namespace kinetic::kube {

Status Client::Watch(const Resource& resource, std::string_view name_space, const Query& query,
                     const EventSink& each, const WatchOptions& options,
                     std::stop_token stop) const {
  const Operation operation{"watch", "watching", resource, std::string(name_space)};
  const http::Url url = CollectionUrl(options_.server, resource, name_space);
  return Watcher(sender_, operation, {url, query}, each, options, std::move(stop)).Run();
}

}  // namespace kinetic::kube
