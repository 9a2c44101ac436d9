#include "runner/local/supervisor.h"

#include "record/object_names.h"
#include "record/outcome.h"
#include "store/open.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;

TEST(Supervisor, StoresResultIfTheFolderWasRemoved) {
  const test::TempTree tree;
  const auto store =
      store::Open((tree / "store").native(), {PosixFileSystem(), SystemClock()}, {}).value();
  record::Record record;
  record.id = "job-1";
  record.spec.name = "test";
  record.created = SystemClock().Now();
  local::LaunchRequest request;
  request.job_id = record.id;
  request.state_dir = tree / "state";
  const Path folder = local::RuntimeOf(request.state_dir, record.id).folder;
  ASSERT_TRUE(MakeDirectories(PosixFileSystem(), folder, 0700));

  ASSERT_TRUE(store::PutBytes(*store, record::RecordName(record.id), "{}",
                              store::Precondition::Absent(), {}));

  auto ticket = local::QueueTicket::Take(PosixFileSystem(), request.state_dir, record.id);
  ASSERT_TRUE(ticket);
  Supervisor supervisor({*store, PosixFileSystem(), SystemClock()}, request, record, {},
                        *std::move(ticket));
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(supervisor.Run({}, [] {}));

  const auto json = store::GetBytes(*store, record::ResultName(record.id), {});
  ASSERT_TRUE(json && *json) << "a job without a result counts as lost";
  const auto stored = record::OutcomeFromJson(**json);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->outcome.state, JobState::kFailed);
  EXPECT_EQ(stored->outcome.exit_code, 123);
  EXPECT_THAT(stored->outcome.reason, HasSubstr("folder was removed"));
}

}  // namespace
}  // namespace kinetic::runner
