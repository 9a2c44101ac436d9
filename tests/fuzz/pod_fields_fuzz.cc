#include "backend/kubernetes/manifest/placement.h"
#include "backend/kubernetes/manifest/pod_fields.h"
#include "backend/kubernetes/manifest/pod_template.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

kinetic::Value PlainPod() {
  kinetic::record::Record record;
  record.id = "ab12";
  record.spec.name = "train";
  record.spec.data["/data"] = {.source = "/home/ana/data"};
  record.secret_names = {"TOKEN"};
  kinetic::backend::ManifestRequest request;
  request.record = &record;
  request.cluster.runner_image = "runner:1";
  const auto accelerator = kinetic::ParseAccelerator("v5litepod-4");
  if (!accelerator) std::abort();
  auto pod = kinetic::backend::PodTemplate(
      request, kinetic::backend::PlacementOf(*accelerator, true), "kinetic-ab12");
  if (!pod) std::abort();
  return *std::move(pod);
}

void Same(const kinetic::Value& before, const kinetic::Value& after,
          const kinetic::backend::PodPath& path) {
  const auto* one = kinetic::backend::FindAt(before, path);
  const auto* two = kinetic::backend::FindAt(after, path);
  if ((one == nullptr) != (two == nullptr) || (one != nullptr && *one != *two)) std::abort();
}

}  // namespace

/// Checks that pod fields are rejected or keep everything that kinetic needs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kinetic::Value plain = PlainPod();
  const auto pod = kinetic::Value::FromJson({reinterpret_cast<const char*>(data), size});
  if (!pod) return 0;
  const auto fields = kinetic::backend::MergePodFields(plain, *pod);
  for (const auto& problem : fields.problems) {
    if (!problem.key.starts_with("pod") || problem.reason.empty()) std::abort();
  }
  if (!fields.problems.empty()) return 0;
  for (const std::string member : {"name", "image", "command", "args", "workingDir"}) {
    Same(plain, fields.merged, {"spec", "containers", "main", member});
    Same(plain, fields.merged, {"spec", "initContainers", "collector", member});
  }
  for (const std::string mount : {"/kinetic", "/dev/shm", "/data"}) {
    Same(plain, fields.merged, {"spec", "containers", "main", "volumeMounts", mount});
  }
  Same(plain, fields.merged, {"spec", "containers", "main", "env", "TOKEN"});
  Same(plain, fields.merged, {"spec", "initContainers", "collector", "lifecycle"});
  Same(plain, fields.merged, {"spec", "volumes", "kinetic"});
  Same(plain, fields.merged, {"spec", "restartPolicy"});
  const auto* containers = kinetic::backend::FindAt(fields.merged, {"spec", "containers"});
  if (containers->AsList()->size() != 1) std::abort();
  return 0;
}
