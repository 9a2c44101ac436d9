#pragma once

#include "kinetic/job_spec.h"

#include "spec/read_context.h"

namespace kinetic::spec {

/// Turns a tree that CheckShape has seen into a spec. What is right alone and wrong together with
/// something else is reported here.
JobSpec ReadJob(const json::YamlNode& root, ReadContext& context);

/// Parts of ReadJob.
void ReadWork(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadArguments(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadEnvironment(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadPlace(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadLimits(const json::YamlNode& root, ReadContext& context, JobSpec& spec);

}  // namespace kinetic::spec
