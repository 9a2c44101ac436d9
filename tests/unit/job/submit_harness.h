#pragma once

#include "job/submit/pipeline.h"
#include "record/index.h"
#include "record/object_names.h"
#include "unit/job/fake_target.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::job {

/// Returns a job that runs ./work in a folder.
inline JobSpec Spec(const Path& folder) {
  JobSpec spec;
  spec.name = "job";
  spec.directory = folder;
  spec.run = Command{.shell = "", .argv = {"./work"}};
  spec.dependencies = DependencySpec{.none = true};
  return spec;
}

/// A context with a small project.
class SubmitHarness {
 public:
  explicit SubmitHarness(FileSystem& fs = PosixFileSystem()) : context_(fs) {
    context_.files().Write("project/pyproject.toml", "");
    context_.files().Write("project/work", "echo\n", 0755);
    context_->options.cache_dir = context_.files() / "cache";
    context_->options.owner = "ana@laptop";
  }

  test::FakeContext& context() { return context_; }
  Result<JobSummary> Submit(std::stop_token stop = {}, const std::string& id = "j") {
    return SubmitJob(*context_, Spec(context_.files() / "project"), {.id = id}, std::move(stop));
  }
  std::vector<JobSummary> Indexed() { return record::NewestJobs(context_.store(), 0, {}).value(); }
  std::vector<std::string> ObjectsOfJob() {
    std::vector<std::string> names;
    const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
      names.push_back(info.name);
      return true;
    };
    EXPECT_TRUE(context_.store().List(record::JobFolder("j"), "", take, {}));
    return names;
  }

 private:
  test::FakeContext context_;
};

}  // namespace kinetic::job
