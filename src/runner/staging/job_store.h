#pragma once

#include "kinetic/job.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "connect/lazy_connection.h"
#include "local/outputs.h"
#include "local/runtime.h"
#include "record/array_references.h"
#include "record/job_record.h"
#include "record/outcome.h"
#include "runner/staging/fetch.h"
#include "runner/staging/fetch_progress.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// The maximum length of result.json.
inline constexpr std::uint64_t kMaxResultBytes = 64U << 20;

/// A result.json and its content.
struct OwnResult {
  std::string json;
  record::StoredOutcome outcome;
};

/// Reads the result.json of a job. Logs and ignores a damaged one and that of another job.
Result<std::optional<OwnResult>> ReadOwnResult(store::Store& store, const record::Record& record,
                                               std::stop_token stop);

/// The part of the runner that accesses the store: fetches and verifies a job's inputs, and stores
/// its results. It shares only the runtime directory with the launcher.
///
/// It does not retry; pass a RetryingStore for that.
///
/// @errors   kDataLoss: content does not match its digest · those of Store and FileSystem.
/// @threads  safe to call concurrently.
class JobStore {
 public:
  struct Dependencies {
    store::Store& store;
    FileSystem& fs;
    Clock& clock;
    connect::LazyConnection* cloud = nullptr;  ///< for buckets in `data:`; may be null
  };

  struct Options {
    Path data_cache = {};  ///< keeps data for later jobs; empty: no cache
    /// Holds the programs of C++ functions, which jobs share; empty: each job has its own.
    Path state_dir = {};
    /// Files of this machine from which bundle and data were stored: LaunchRequest::sources.
    std::map<std::string, local::StoredSource> sources = {};
    /// Provides the data at a path in the job without a copy. Returns whether it did. May be empty.
    std::function<bool(const std::string& path, const record::DataTree& data, std::stop_token stop)>
        read_in_place = {};
    bool mounted = false;   ///< the folders of `data:` are mounted and must not be replaced
    Path environment = {};  ///< destination of the job's packages; empty: they are not fetched
    /// Limit for bundle, data and packages.
    std::optional<std::uint64_t> disk_bytes = {};
  };

  /// Parses the content of record.json. @errors as FetchRecord.
  static Result<record::Record> ParseRecord(std::string_view json, std::string_view id,
                                            const Digest& sha256);
  /// Fetches the record and checks its SHA-256. @errors kNotFound · kDataLoss.
  static Result<record::Record> FetchRecord(store::Store& store, std::string_view id,
                                            const Digest& sha256, std::stop_token stop);

  JobStore(Dependencies deps, const record::Record& record, local::Runtime runtime,
           Options options);

  /// Returns whether the job has an outcome.
  Result<bool> HasResult(std::stop_token stop);
  /// Stores the record of a new job. Succeeds if an earlier try stored it.
  /// @errors  kAlreadyExists: the store has another job with this ID.
  static Status StoreRecord(store::Store& store, std::string_view id, std::string_view json,
                            std::stop_token stop);

  /// Claims an attempt. @param claim  identifies this runner uniquely.
  /// @errors  kAlreadyExists: another runner has claimed it.
  Status Claim(std::uint32_t attempt, std::string_view claim, std::stop_token stop);
  /// Unpacks bundle and data into empty folders, and in parallel the packages of a pod unless they
  /// are already there. Returns a description.
  ///
  /// @errors  also kResourceExhausted: the disk limit is exceeded, or the disk is full.
  Result<std::string> Materialize(FetchProgress& progress, std::stop_token stop);
  /// Fetches the arguments, and the arrays to which they refer into files.
  Result<Arguments> FetchArguments(std::stop_token stop);
  /// Stores exchange/value.json and its arrays, from the files that the program has written.
  Result<local::CollectedValue> StoreValue(FileSystem& files, std::uint32_t attempt,
                                           std::stop_token stop);
  /// Stores the outcome of an attempt that another one follows.
  Status WriteAttempt(const record::StoredOutcome& outcome, std::stop_token stop);
  /// Stores the job's outcome unless there is one. Returns false if there is a different one.
  /// Replaces the outcome of another job.
  /// @param json  a record::StoredOutcome.
  Result<bool> WriteResult(const std::string& json, std::stop_token stop);
  Status WriteIndex(const JobSummary& summary, std::stop_token stop);

 private:
  /// What has been unpacked.
  struct Totals {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::uint64_t cached = 0;    ///< datasets from the cache, whose files are not counted
    std::uint64_t in_place = 0;  ///< datasets that are not copied; not counted either
    FetchProgress* progress = nullptr;
  };
  /// Creates a dataset at a path.
  using Fill = std::function<Status(const Path& path)>;

  static Failure Missing(std::string_view name);
  Result<std::string> FetchArgumentsDocument(const std::stop_token& stop);
  Result<bool> IsReadInPlace(const record::ArrayReference& array, const std::stop_token& stop);
  Status FetchArray(const record::ArrayReference& array, const std::stop_token& stop);
  Status CheckDiskLimit(std::uint64_t bytes) const;
  Status MakeFolders();
  Status ClearData(const Path& folder);
  Result<std::string> MaterializeAll(Totals& totals, const record::PodEnvironment* environment,
                                     std::stop_token stop);
  Status MaterializeBundle(Totals& totals, const std::stop_token& stop);
  Status MaterializeData(Totals& totals, const std::stop_token& stop);
  Status MaterializeProgram(const record::DataTree& program, Totals& totals,
                            const std::stop_token& stop);
  Status FillFromCache(const std::string& key, const Path& path, const Fill& fill, Totals& totals,
                       const std::stop_token& stop);
  const local::StoredSource* SourceOf(const std::string& path) const;
  Status UnpackTo(const Path& path, const TreeContent& content, Totals& totals,
                  FetchProgress::Transfer& transfer, const std::stop_token& stop);
  Status MaterializeTree(const std::string& data_path, const Path& path, Totals& totals,
                         FetchProgress::Transfer& transfer, const std::stop_token& stop);
  Status MaterializeListing(const record::ListedData& data, const Path& path, Totals& totals,
                            FetchProgress::Transfer& transfer, const std::stop_token& stop);

  Dependencies deps_;
  const record::Record& record_;
  const local::Runtime runtime_;
  const Options options_;
};

}  // namespace kinetic::runner
