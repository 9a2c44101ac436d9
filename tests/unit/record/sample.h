#pragma once

#include "base/time/clock.h"
#include "record/job_record.h"

#include <string>

namespace kinetic::record {

/// Removes the document's checksum, so that a test can change it.
inline std::string WithoutChecksum(std::string json) {
  const auto at = json.rfind(",\n  \"check\": ");
  return at == std::string::npos ? json : json.replace(at, std::string::npos, "\n}\n");
}

/// Returns a record with a value in every field.
inline Record SampleRecord() {
  Record record;
  record.id = "k-7aq2";
  record.created = *ParseTime("2030-01-02T03:04:05.678901Z");
  record.owner = "ana@laptop";
  record.client_version = "0.1.0";
  record.target = "local";
  record.target_identity = "local:laptop:/home/ana/.local/state/kinetic";
  record.nonce = "00112233445566778899aabbccddeeff";
  record.spec.name = "digits";
  record.spec.accelerators = {*ParseAccelerator("cpu")};
  record.spec.function = FunctionReference{"train", "main"};
  record.spec.args.named = {{"epochs", Value(3)}, {"rates", Value(Value::List{0.1, 0.2})}};
  record.spec.env = {{"KERAS_BACKEND", "jax"}};
  record.tree = Sha256::Of("tree");
  record.listed_data = {{"/far", {Sha256::Of("far"), 3, 1'000'000, false}}};
  record.data = {{"/data", {Sha256::Of("data"), false}}, {"/one.csv", {Sha256::Of("one"), true}}};
  record.arguments = Sha256::Of("arguments");
  record.inline_arguments = R"({"epochs":3})";
  record.arrays = {Sha256::Of("array")};
  record.manifest_key = Sha256::Of("manifest").Hex();
  record.environment_id = Sha256::Of("environment").Hex();
  record.environment_inputs = {{"python", "3.12"}, {"platform", "linux/amd64"}};
  record.secret_names = {"KAGGLE_API_TOKEN"};
  record.not_applied = {"spot"};
  record.git = GitState{std::string(40, 'a'), "main"};
  record.price = JobPrice{"us-west4", Provisioning::kSpot, Price{0.72, "2026-11-28"}};
  record.rerun_of = "k-5bz1";
  record.preparation = {{Phase::kPackage, *ParseTime("2030-01-02T03:04:04Z"),
                         *ParseTime("2030-01-02T03:04:05Z"), "2 files, 142 B"}};
  return record;
}

}  // namespace kinetic::record
