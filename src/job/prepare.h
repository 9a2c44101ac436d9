#pragma once

#include "bundle/lease.h"
#include "job/context.h"
#include "job/environment.h"
#include "job/make_environment.h"
#include "job/package.h"
#include "record/record.h"

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

struct PrepareOptions {
  bool send = false;  ///< store the bundle, resolve and build; otherwise only look
  std::string id;     ///< chosen for the job to be submitted; empty: none
  LockRequest lock;   ///< its observer is told of everything here
};

/// A job with all that it needs, before it has an id.
struct Prepared {
  JobSpec spec;  ///< with path arguments as the job sees them
  std::vector<std::string> not_applied;
  std::map<std::string, std::string> secrets;
  bundle::Root root;
  std::optional<Package> package;
  Digest tree;
  std::map<std::string, record::DataTree> data;
  std::map<std::string, record::ListedData> listed_data;
  std::vector<std::string> listings;  ///< the documents that `listed_data` names
  JobEnvironment environment;
  std::optional<record::GitState> git;
  std::optional<std::string> record_before;     ///< of the job that has the chosen id
  std::unique_ptr<bundle::ContentLease> lease;  ///< on what was stored; absent when only looked
};

/// Keys of `spec` that have no effect on the target.
/// @errors  kUnimplemented: keys that the target cannot honour, one a line, with their places.
Result<std::vector<std::string>> CheckLimitations(const target::Target& target, const JobSpec& spec,
                                                  Observer* observer);

/// Packages the code, makes the environment and gathers the rest, all at once. What is wrong with
/// the job is found before anything of it is stored.
Result<Prepared> PrepareJob(Context& context, const JobSpec& spec, const PrepareOptions& options,
                            std::stop_token stop);

}  // namespace kinetic::job
