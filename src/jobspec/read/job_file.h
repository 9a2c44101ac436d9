#pragma once

#include "kinetic/job_file.h"
#include "kinetic/job_spec.h"

#include "jobspec/diagnostics.h"
#include "json/parse.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace kinetic::jobspec {

/// The word that selects the newest job of the caller, and is therefore no name of a job.
inline constexpr std::string_view kLatestJob = "latest";

/// Returns a name for a job without one, reduced to valid characters: the job file's name unless it
/// is job.yaml or latest.yaml or there is no file, then "module-callable", the script or program of
/// `run`, or "job".
std::string DeriveName(const JobSpec& spec, const std::filesystem::path& file);

/// Applies options to the tree: the command, then `set`, `over`, `args` and `env`. Their nodes are marked,
/// so messages name "--set resources.memory" instead of a line.
void ApplyOverlays(json::YamlNode& root, const JobFileOptions& options, Diagnostics& diagnostics);

/// Makes the path arguments of a spec independent of this machine. ParseJobFile represents
/// `{$path: p}` in `args` as `{"$path": "/absolute/p"}`. A path below `root` becomes relative to it
/// (the root itself: "."); a path below a `data:` path is unchanged.
///
/// @param root  the bundle's root, absolute and normalized.
/// @errors  kInvalidArgument: paths outside both, one per line, with positions.
Status ResolvePathArguments(JobSpec& spec, const std::filesystem::path& root);

}  // namespace kinetic::jobspec
