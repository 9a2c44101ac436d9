#pragma once

#include "kinetic/job_spec.h"

#include "jobspec/read/context.h"

namespace kinetic::jobspec {

/// Converts a tree that passed CheckShape to a spec. Reports invalid combinations of keys.
JobSpec ReadJob(const json::YamlNode& root, ReadContext& context);

/// Parts of ReadJob.
void ReadWork(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadArguments(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadEnvironment(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadPlace(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadLimits(const json::YamlNode& root, ReadContext& context, JobSpec& spec);

}  // namespace kinetic::jobspec
