#pragma once

#include "backend/kubernetes/manifest/job_manifest.h"

#include <string>

namespace kinetic::backend {

/// A job that uses every feature, for tests of its manifests.
inline record::Record SampleRecord() {
  record::Record record;
  record.id = "ab12";
  record.owner = "ana@laptop";
  record.nonce = std::string(32, '0');
  record.spec.name = "train";
  record.spec.function = FunctionReference{"m", "f"};
  record.spec.accelerators = {ParseAccelerator("v5litepod-4").value_or(Accelerator{})};
  return record;
}

inline ManifestRequest SampleRequest(const record::Record& record) {
  ManifestRequest request;
  request.record = &record;
  request.collect = {.job_id = record.id,
                     .record_sha256 = std::string(64, 'a'),
                     .nonce = record.nonce,
                     .store = "gs://bucket/k",
                     .cloud = {}};
  request.cluster.name_space = "ml";
  request.cluster.runner_image = "registry.test/kinetic-runner:1";
  return request;
}

}  // namespace kinetic::backend
