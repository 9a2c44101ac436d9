#pragma once

#include "kinetic/job.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "cloud/connector.h"
#include "local/collected_value.h"
#include "local/outputs.h"
#include "local/runtime.h"
#include "record/arguments.h"
#include "record/outcome.h"
#include "record/record.h"
#include "runner/fetch_board.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// The half of the runner that is with the store: fetches and verifies what the job is made of,
/// stores what it leaves. It meets the launcher only in the runtime folder.
///
/// Nothing is tried again here: the store is a PatientStore where that is wanted.
///
/// @errors   kDataLoss: something is not what its digest says · those of Store and FileSystem.
/// @threads  safe to call concurrently.
class Collector {
 public:
  struct Seams {
    store::Store& store;
    FileSystem& fs;
    Clock& clock;
    cloud::Connector* cloud = nullptr;  ///< to buckets that `data:` names; null: there are none
  };

  /// The record, if its sha256 is the one named. @errors kNotFound · kDataLoss.
  static Result<record::Record> FetchRecord(store::Store& store, std::string_view id,
                                            const Digest& sha256, std::stop_token stop);

  struct Options {
    Path data_cache = {};  ///< keeps data for later jobs; empty: nothing does
    bool mounted =
        false;  ///< the folders of `data:` are mounted elsewhere: they must stay the same
    Path environment = {};  ///< where the packages that a record brings go; empty: nowhere
    /// Of the disk that all of it goes to; what goes beyond is refused.
    std::optional<std::uint64_t> disk_bytes = {};
  };

  Collector(Seams seams, const record::Record& record, local::Runtime runtime, Options options);

  /// Whether the job has an outcome already.
  Result<bool> HasResult(std::stop_token stop);
  /// Takes an attempt. @param claim  says who does, and nobody else says the same.
  /// @errors  kAlreadyExists: another runner has it.
  Status Claim(std::uint32_t attempt, std::string_view claim, std::stop_token stop);
  /// Unpacks bundle and data into fresh folders, and at the same time the packages of a pod where
  /// they are not there yet; returns what that was, for people.
  ///
  /// @errors  also kResourceExhausted: it is more than the disk may hold, or its disk is full.
  Result<std::string> LayDown(FetchBoard& board, std::stop_token stop);
  Result<Arguments> FetchArguments(std::stop_token stop);
  /// Stores exchange/value.json and the arrays beside it.
  Result<local::CollectedValue> StoreValue(std::uint32_t attempt, std::stop_token stop);
  /// The outcome of one attempt that another follows.
  Status WriteAttempt(const record::StoredOutcome& outcome, std::stop_token stop);
  /// The job's outcome. One that is there already stays; false: it is another one.
  /// @param json  a record::StoredOutcome.
  Result<bool> WriteResult(const std::string& json, std::stop_token stop);
  Status WriteIndex(const JobSummary& summary, std::stop_token stop);

 private:
  /// What has been laid down, in all.
  struct Laid {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::uint64_t kept = 0;       ///< data sets that were in the cache, whose files are not counted
    FetchBoard* board = nullptr;  ///< shows it while it comes
  };
  static Failure Missing(std::string_view name);
  Status CheckRoom(std::uint64_t bytes) const;
  Status MakeFolders();
  Status ClearData(const Path& folder);
  Result<std::string> LayDownAll(Laid& laid, const record::PodEnvironment* environment,
                                 std::stop_token stop);
  Status LayDownBundle(Laid& laid, const std::stop_token& stop);
  Status LayDownData(Laid& laid, const std::stop_token& stop);
  Status Provide(const std::string& key, const Path& place,
                 const std::function<Status(const Path& place)>& lay_down, Laid& laid,
                 const std::stop_token& stop);
  Status UnpackTo(const Path& place, const Digest& tree, Laid& laid, FetchBoard::Fetch& shown,
                  const std::stop_token& stop);
  Status LayDownTree(const record::DataTree& data, const Path& place, Laid& laid,
                     FetchBoard::Fetch& shown, const std::stop_token& stop);
  Status LayDownListed(const record::ListedData& data, const Path& place, Laid& laid,
                       FetchBoard::Fetch& shown, const std::stop_token& stop);

  Seams seams_;
  const record::Record& record_;
  const local::Runtime runtime_;
  const Options options_;
};

}  // namespace kinetic::runner
