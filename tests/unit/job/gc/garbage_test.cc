#include "job/gc/garbage.h"

#include "base/files/file_lock.h"
#include "job/find.h"
#include "local/job_cache.h"
#include "record/checkpoint.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/referenced_trees.h"
#include "store/folder_store.h"
#include "support/faulty_file_system.h"
#include "support/watched_store.h"
#include "unit/job/submit_harness.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>

namespace kinetic::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(Garbage, RemovesOrphansAndReportsNames) {
  test::FakeContext context;
  context.target().is_cluster = true;
  context.target().orphans = std::vector<std::string>{"secret ml/kinetic-ab12"};
  for (const bool dry_run : {true, false}) {
    const auto report = CollectAllGarbage(*context, {.dry_run = dry_run}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->removed, ElementsAre("secret ml/kinetic-ab12"));
    EXPECT_EQ(report->classes.front().removed, 1U);
  }
  EXPECT_THAT(*context.target().orphans, IsEmpty());
}

TEST(Garbage, RemovesProgramsThatNoActiveJobUses) {
  test::FakeContext context;
  context->options.cache_dir = context.files() / "cache";
  context->options.state_dir = context.files() / "state";
  context.files().Write("state/programs/ab12/program", "ELF");
  context.files().Write("state/programs/ab12.entries", "list");
  const Path program = context->options.state_dir / "programs/ab12";
  ASSERT_TRUE(context->fs.SetModifiedTime(program, context->clock.Now()));
  context.clock().Advance(std::chrono::hours(6 * 24));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_TRUE(std::filesystem::exists(program));
  context.files().MakeFolder("state/jobs/j");
  {
    // Without a record, the job may use any program.
    const auto running = FileLock::Try(context->fs, context->options.state_dir / "jobs/j/lock");
    ASSERT_TRUE(running && *running);
    ASSERT_TRUE(CollectAllGarbage(*context, {.all = true}, {}));
    EXPECT_TRUE(std::filesystem::exists(program));
  }
  const auto report = CollectAllGarbage(*context, {.all = true}, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->classes.back().name, "programs");
  EXPECT_EQ(report->classes.back().removed_bytes, 3U);
  EXPECT_FALSE(std::filesystem::exists(program));
  EXPECT_FALSE(std::filesystem::exists(program.native() + ".entries"));
}

TEST(Garbage, RemovesTheJobCacheAMonthAfterTheLastJob) {
  test::FakeContext context;
  context->options.cache_dir = context.files() / "cache";
  context->options.state_dir = context.files() / "state";
  const Path cache = local::JobCacheFolder(context->options.cache_dir);
  context.files().Write("cache/job-cache/torch/model", "weights");
  ASSERT_TRUE(local::PrepareJobCache(context->fs, context->clock, cache));
  context.clock().Advance(std::chrono::hours(29 * 24));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_TRUE(std::filesystem::exists(cache / "torch/model"));
  context.clock().Advance(std::chrono::hours(2 * 24));
  context.files().MakeFolder("state/jobs/j");
  {
    const auto running = FileLock::Try(context->fs, context->options.state_dir / "jobs/j/lock");
    ASSERT_TRUE(running && *running);
    ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
    EXPECT_TRUE(std::filesystem::exists(cache / "torch/model"));
  }
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed, Contains((cache / "torch").native()));
  EXPECT_FALSE(std::filesystem::exists(cache / "torch"));
}

TEST(Garbage, CollectsStoreWithoutClusterPermissions) {
  test::FakeContext context;
  context.target().is_cluster = true;
  context.target().orphans = Fail(ErrorCode::kPermissionDenied, "may not list secrets");
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed, IsEmpty());
}

TEST(Garbage, RemovesBuildInputsAfterOneWeek) {
  test::FakeContext context;
  const std::string old_log = record::BuildLogName("8f");
  const std::string source = record::BuildSourceName(Sha256::Of("source"));
  ASSERT_TRUE(store::Overwrite(context.store(), old_log, "DONE", {}));
  context.clock().Advance(std::chrono::hours(4 * 24));
  ASSERT_TRUE(store::Overwrite(context.store(), source, "source", {}));
  context.clock().Advance(std::chrono::hours(4 * 24));
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed, ElementsAre(old_log));
  EXPECT_FALSE(*context.store().Stat(old_log, {}));
  EXPECT_TRUE(*context.store().Stat(source, {}));
}

TEST(Garbage, RemovesDownloadsAMonthAfterTheirLastUse) {
  test::FakeContext context;
  const std::string folder = record::DownloadFolder("ana@laptop", "train");
  const std::string manifest = record::DownloadManifestName(folder);
  const std::string dropped = record::DownloadName(folder, Sha256::Of("dropped"));
  ASSERT_TRUE(store::Overwrite(context.store(), dropped, "dropped", {}));
  context.clock().Advance(std::chrono::hours(29 * 24));
  ASSERT_TRUE(store::Overwrite(context.store(), manifest, "{}", {}));
  context.clock().Advance(std::chrono::hours(2 * 24));
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed, ElementsAre(dropped));
  EXPECT_TRUE(*context.store().Stat(manifest, {}));
}

TEST(Garbage, RemovesPackageSetsThatNoEnvironmentLinksTo) {
  test::FakeContext context;
  FileSystem& fs = PosixFileSystem();
  const Path cache = context->options.cache_dir = context.files() / "cache";
  const auto add = [&](const Path& folder, const std::string& marker) {
    EXPECT_TRUE(MakeDirectories(fs, cache / folder));
    EXPECT_TRUE(WriteFileAtomically(fs, cache / folder / "kinetic.json", marker));
    EXPECT_TRUE(fs.SetModifiedTime(cache / folder / "kinetic.json", context.clock().Now()));
  };
  const auto add_environment = [&](char id, const std::string& set) {
    add(Path("environments") / std::string(64, id),
        R"({"package_sets": [")" + (cache / "package-sets" / set).native() + R"("]})");
  };
  for (const char* const set : {"unlinked", "of-removed", "of-kept"}) {
    add(Path("package-sets") / set, "{}");
  }
  add_environment('a', "of-removed");
  context.clock().Advance(std::chrono::hours(9 * 24));
  add_environment('b', "of-kept");
  add("package-sets/recent", "{}");
  for (const bool dry_run : {true, false}) {
    const auto report = CollectAllGarbage(*context, {.dry_run = dry_run}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->removed,
                ElementsAre(cache / "environments" / std::string(64, 'a'),
                            cache / "package-sets/of-removed", cache / "package-sets/unlinked"));
    const auto found =
        std::ranges::find(report->classes, "package sets", &GarbageReport::Class::name);
    ASSERT_NE(found, report->classes.end());
    EXPECT_EQ(found->removed_bytes, 4U);
    EXPECT_EQ(found->kept_bytes, 4U);
    EXPECT_EQ(fs.Lstat(cache / "package-sets/unlinked").has_value(), dry_run);
  }
  EXPECT_TRUE(fs.Lstat(cache / "package-sets/of-kept"));
  EXPECT_TRUE(fs.Lstat(cache / "package-sets/recent"));
}

TEST(Garbage, KeepsPackageSetsThatMayBeInUse) {
  test::FakeContext context;
  const Path cache = context->options.cache_dir = context.files() / "cache";
  const std::string id(64, 'a');
  const auto write = [&](const Path& file, const std::string& text) {
    EXPECT_TRUE(MakeDirectories(PosixFileSystem(), (cache / file).parent_path()));
    EXPECT_TRUE(WriteFileAtomically(PosixFileSystem(), cache / file, text));
    EXPECT_TRUE(PosixFileSystem().SetModifiedTime(cache / file, context.clock().Now()));
  };
  write("package-sets/building.tmp/kinetic.json", "{}");
  write("package-sets/old/kinetic.json", "{}");
  context.clock().Advance(std::chrono::hours(49));
  write("environments/" + id + "/kinetic.json", "damaged");
  auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed, IsEmpty());
  EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("aaaaaaaaaaaa is damaged: ")));
  write("package-sets/building.tmp/kinetic.json", "{}");
  context.clock().Advance(std::chrono::hours(1));
  report = CollectAllGarbage(*context, {.all = true}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->removed,
              ElementsAre(cache / "environments" / id, cache / "package-sets/old"));
}

TEST(Garbage, DoesNotRestoreIndexEntryOfRemovedJob) {
  test::FakeContext context;
  const record::Record record = context.Submit("a");
  ASSERT_TRUE(record::RemoveIndex(context.store(), record.created, "a", {}));
  context.clock().Advance(std::chrono::hours(1));
  auto store = std::make_shared<test::WatchedStore>(std::make_unique<store::FolderStore>(
      context.store().Location(), PosixFileSystem(), context.clock()));
  store->SetHook([&](std::string_view operation, std::string_view name) -> Status {
    if (operation == "stat" && name == record::RecordName("a")) store->Drop(name);
    return {};
  });
  (*context).store = store;
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->warnings, IsEmpty());
  EXPECT_THAT(*record::NewestJobs(context.store(), 0, {}), IsEmpty());
}

TEST(Garbage, RestoresLostIndexEntriesAndKeepsWhatTheirJobsNeed) {
  test::FakeContext context;
  record::Record record = context.Submit("a");
  context.StoreResult("a", JobState::kSucceeded);
  const std::string tree = record::TreeName(record.tree);
  ASSERT_TRUE(store::Overwrite(context.store(), tree, "damaged", {}));
  ASSERT_TRUE(record::RemoveIndex(context.store(), record.created, "a", {}));
  context.clock().Advance(std::chrono::hours(24 * 365));
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->warnings, Contains("restored the index entry of job a"));
  EXPECT_TRUE(*context.store().Stat(tree, {}));
  const auto indexed = record::NewestJobs(context.store(), 0, {});
  ASSERT_EQ(indexed->size(), 1U);
  EXPECT_EQ(indexed->front().state, JobState::kSucceeded);
}

TEST(Garbage, ReplacesDamagedIndexEntriesOfJobs) {
  test::FakeContext context;
  const record::Record record = context.Submit("a");
  context.StoreResult("a", JobState::kSucceeded);
  const std::string entry = record::IndexName(record.created, "a");
  const std::string orphan = record::IndexName(record.created, "gone");
  for (const std::string& name : {entry, orphan}) {
    const Path path = Path(context.store().Location()) / name;
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/nowhere", path);
  }
  for (const bool verify : {false, true}) {
    const auto report = CollectAllGarbage(*context, {.verify = verify}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(std::ranges::count(report->removed, orphan), verify ? 1 : 0);
    EXPECT_EQ(record::NewestJobs(context.store(), 0, {})->size(), 1U);
    const auto info = context.store().Stat(entry, {});
    ASSERT_TRUE(info && *info);
    EXPECT_EQ((*info)->damage.empty(), verify);
  }
  EXPECT_FALSE(*context.store().Stat(orphan, {}));
}

TEST(Garbage, DryRunNeedsNoPermissionToStore) {
  test::FaultyFileSystem fs(
      [](std::uint64_t, std::string_view, const Path&) { return std::optional(EACCES); });
  test::FakeContext context;
  const Path root = context.store().Location();
  context->store = std::make_shared<store::FolderStore>(root, fs);
  const auto looked = CollectAllGarbage(*context, {.dry_run = true}, {});
  EXPECT_TRUE(looked) << looked.error().message;
  const auto report = CollectAllGarbage(*context, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kPermissionDenied);
}

TEST(Garbage, DryRunCountsContentOfOldJobs) {
  SubmitHarness harness;
  ASSERT_TRUE(harness.Submit());
  auto& context = harness.context();
  context.target().jobs.clear();
  context.StoreResult("j", JobState::kSucceeded);
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));  // writes the entry of its end
  context.clock().Jump(std::chrono::hours(24 * 40));
  const auto kept = CollectAllGarbage(*context, {.dry_run = true}, {});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_THAT(kept->removed, Not(Contains(StartsWith("trees/"))));
  const GarbageOptions old{.dry_run = true, .jobs_older_than = std::chrono::hours(24)};
  const auto looked = CollectAllGarbage(*context, old, {});
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_THAT(looked->removed, Contains(StartsWith("trees/")));
  EXPECT_THAT(harness.ObjectsOfJob(), Contains("jobs/j/record.json"));
}

TEST(Garbage, RemovesNothingIfClocksDisagree) {
  using std::chrono::minutes;
  for (const minutes ahead : {minutes(-60 * 24 * 60), minutes(-11), minutes(-9), minutes(9),
                              minutes(11), minutes(400 * 24 * 60)}) {
    test::FakeContext context;
    test::FakeClock file_clock;
    file_clock.Jump(context.clock().Now() - file_clock.Now());
    const std::string root = context.store().Location();
    context->store = std::make_shared<store::FolderStore>(root, PosixFileSystem(), file_clock);
    ASSERT_TRUE(store::Overwrite(context.store(), record::BuildLogName("8f"), "DONE", {}));
    file_clock.Advance(std::chrono::hours(24 * 31));
    context.clock().Jump(std::chrono::hours(24 * 31) + ahead);
    const auto report = CollectAllGarbage(*context, {}, {});
    const auto listed = ListJobs(context.clusters(), {.older_than = std::chrono::seconds(1)}, {});
    EXPECT_EQ(report.has_value(), std::chrono::abs(ahead) < minutes(10)) << ahead.count();
    EXPECT_EQ(listed.has_value(), report.has_value());
    EXPECT_NE((*context.store().Stat(record::BuildLogName("8f"), {})).has_value(),
              report.has_value());
    if (report) continue;
    EXPECT_EQ(report.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_THAT(report.error().message, HasSubstr("this machine's clock is"));
  }
}

/// A job that ended just now is not as old as its entry from its start.
TEST(Garbage, AgeOfAJobCountsFromItsEnd) {
  test::FakeContext context;
  context.Submit("j");
  context.clock().Advance(std::chrono::hours(24 * 40));
  context.StoreResult("j", JobState::kSucceeded);
  const GarbageOptions old{.jobs_older_than = std::chrono::hours(24 * 30)};
  for (const int days : {0, 29}) {
    context.clock().Advance(std::chrono::hours(24 * days));
    ASSERT_TRUE(CollectAllGarbage(*context, old, {}));
    EXPECT_TRUE(*context.store().Stat(record::RecordName("j"), {})) << days;
  }
  context.clock().Advance(std::chrono::hours(24 * 2));
  ASSERT_TRUE(CollectAllGarbage(*context, old, {}));
  EXPECT_FALSE(*context.store().Stat(record::RecordName("j"), {}));
}

TEST(Garbage, RemovesOldCaches) {
  SubmitHarness harness;
  ASSERT_TRUE(harness.Submit());
  auto& context = harness.context();
  const Path stat = context->options.cache_dir / "stat";
  context.files().Write("cache/checked/abc", "");
  const auto entries = [&](const Path& folder) {
    return PosixFileSystem().ReadDirectory(folder).value().size();
  };
  ASSERT_EQ(entries(stat), 1U);
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_EQ(entries(stat), 1U);
  context.clock().Jump(std::chrono::hours(24 * 31));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_EQ(entries(stat), 0U);
  EXPECT_EQ(entries(context->options.cache_dir / "checked"), 0U);
}

TEST(Garbage, RemovesInterruptedSubmissionAfterOneDay) {
  SubmitHarness harness;
  auto& context = harness.context();
  JobSummary summary;
  summary.id = "j";
  summary.created = context.clock().Now();
  ASSERT_TRUE(record::CreateIndex(context.store(), summary, {}));
  ASSERT_TRUE(store::Overwrite(context.store(), record::ArgumentsName("j", "0af1"), "[]", {}));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(harness.ObjectsOfJob(), SizeIs(1));
  context.clock().Jump(std::chrono::hours(25));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(harness.ObjectsOfJob(), IsEmpty());
  EXPECT_THAT(harness.Indexed(), IsEmpty());
}

TEST(Garbage, RemovesOrphanedCheckpointsAfterOneDay) {
  SubmitHarness harness;
  ASSERT_TRUE(harness.Submit());
  auto& context = harness.context();
  const auto put = [&](std::string_view id) {
    record::Checkpoint checkpoint{.id = std::string(id), .created = context.clock().Now()};
    checkpoint.tree = Sha256::Of(id);
    EXPECT_TRUE(store::Overwrite(context.store(), record::CheckpointName(id, 1),
                                 record::ToJson(checkpoint), {}));
  };
  put("j");
  put("gone");
  const auto left = [&] {
    std::vector<std::string> ids;
    const auto all = record::ListReferrers(context.store(), {});
    for (const auto& listed : all->checkpoints) ids.push_back(listed.id);
    return ids;
  };
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(left(), SizeIs(2));
  context.clock().Jump(std::chrono::hours(25));
  const auto collected = CollectAllGarbage(*context, {.dry_run = true}, {});
  ASSERT_TRUE(collected);
  EXPECT_THAT(collected->removed, Contains("checkpoints/gone/000000000001"));
  EXPECT_THAT(left(), SizeIs(2));
  ASSERT_TRUE(CollectAllGarbage(*context, {}, {}));
  EXPECT_THAT(left(), ::testing::ElementsAre("j"));
}

}  // namespace
}  // namespace kinetic::job
