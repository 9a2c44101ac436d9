#include "base/digest.h"
#include "base/try.h"
#include "pod/container.h"
#include "target/kubernetes_names.h"
#include "target/kubernetes_pulling_pod.h"
#include "target/kubernetes_warm.h"

#include <utility>

namespace kinetic::target {
namespace {

constexpr std::string_view kPoolLabel = "cloud.google.com/gke-nodepool";
constexpr std::string_view kWarmLabel = "kinetic.dev/warm";
constexpr std::size_t kNameDigits = 12;

}  // namespace

Result<Value> WarmSet(const WarmRequest& request) {
  KINETIC_ASSIGN_OR_RETURN(const Value of_job,
                           PodOfJob(request.spec, request.image, request.cluster));
  Value spec = PullingPodSpec({.runner_image = request.cluster.runner_image,
                               .image = request.image,
                               .restricted = request.restricted,
                               .containers = {{.name = std::string(pod::kMainContainer)}}},
                              of_job);
  if (!request.pool.empty()) {
    const Value* const selector = spec.Find("nodeSelector");
    Value chosen = selector != nullptr ? *selector : Value(Value::Map{});
    chosen.Set(std::string(kPoolLabel), request.pool);
    spec.Set("nodeSelector", std::move(chosen));
  }
  const std::string key = Sha256::Of(spec.ToJson()).Hex().substr(0, kNameDigits);
  const Value::Map own{{std::string(kWarmLabel), key}};
  Value::Map labels = own;
  labels.emplace_back(std::string(kManagedByLabel), std::string(kManagedBy));
  return Value(Value::Map{
      {"apiVersion", "apps/v1"},
      {"kind", "DaemonSet"},
      {"metadata", Value::Map{{"name", "kinetic-warm-" + key},
                              {"namespace", request.cluster.name_space},
                              {"labels", labels}}},
      {"spec", Value::Map{{"selector", Value::Map{{"matchLabels", own}}},
                          {"template", Value::Map{{"metadata", Value::Map{{"labels", labels}}},
                                                  {"spec", std::move(spec)}}}}}});
}

}  // namespace kinetic::target
