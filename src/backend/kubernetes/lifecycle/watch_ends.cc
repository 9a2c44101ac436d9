#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "pod/container.h"

#include <string>
#include <utility>

namespace kinetic::backend {

Status WatchEnds(const kube::Client& client, std::string_view name_space,
                 const std::function<void(std::string_view id)>& ended, std::stop_token stop) {
  const auto take = [&](const kube::WatchEvent& event) -> Status {
    if (event.object == nullptr || !HasEnded(*event.object, pod::kMainContainer)) return {};
    const std::string id = JobIdOf(*event.object);
    if (!id.empty()) ended(id);
    return {};
  };
  return client.Watch(kube::kPods, name_space,
                      {.label_selector = ManagedSelector() + "," + std::string(kJobIdLabel)}, take,
                      {}, std::move(stop));
}

}  // namespace kinetic::backend
