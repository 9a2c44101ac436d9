#pragma once

#include "kinetic/job_file.h"
#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "jobspec/diagnostics.h"
#include "jobspec/schema/check.h"
#include "json/parse.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::jobspec {

/// Shared by the readers of a job file. They skip values of the wrong kind, which CheckShape
/// reports.
struct ReadContext {
  Diagnostics& diagnostics;
  Positions& positions;
  const JobFileOptions& options;
  FileSystem& fs;
  Path file_directory;        ///< absolute; base of the paths in the file
  bool has_function = false;  ///< the job calls a function, and arguments may be arrays

  /// Returns a node's path, absolute and normalized. Paths from options are relative to
  /// options.directory.
  Path AbsolutePath(const json::YamlNode& node) const;
};

/// Returns the value of `key`; null if absent.
const json::YamlNode* Find(const json::YamlNode& map, std::string_view key);

/// Returns a scalar's text if it is a string or, with `as_written`, a number or boolean.
std::optional<std::string> TextOf(const json::YamlNode* node, bool as_written = false);
std::optional<std::int64_t> IntOf(const json::YamlNode* node);
std::optional<bool> BoolOf(const json::YamlNode* node);
std::vector<std::string> TextsOf(const json::YamlNode* node, bool as_written = false);

/// Converts a tree that passed CheckShape to a spec. Reports invalid combinations of keys.
JobSpec ReadJob(const json::YamlNode& root, ReadContext& context);

/// Returns whether a value is one word of a command: a scalar, a path, or a number outside of JSON.
bool IsCommandWord(const Value& value);

/// Returns whether a value can be an argument of a program: a scalar, or a list of scalars, which
/// repeats the option.
bool IsProgramArgument(const Value& value);

/// Returns whether a named argument can be an option of a program: a name without dashes.
bool IsOptionName(std::string_view name);

/// Parts of ReadJob.
void ReadWork(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadArguments(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadEnvironment(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadPlacement(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadTags(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
void ReadLimits(const json::YamlNode& root, ReadContext& context, JobSpec& spec);
/// After ReadArguments, because the arguments of tasks are added to them.
void ReadArray(const json::YamlNode& root, ReadContext& context, JobSpec& spec);

/// Converts arguments to values and resolves references: maps with one `$` key (`$json`, `$jsonl`,
/// `$csv`, `$text`, `$npy`, `$env`, `$path`; see docs/reference/job-file.md).
class ArgumentReader {
 public:
  static constexpr std::uint64_t kMaxArgumentBytes = 64U << 20;  ///< total of all files

  explicit ArgumentReader(ReadContext& context) : context_(context) {}

  /// `where` is the path in messages and positions: "args.data".
  Value Read(const json::YamlNode& node, const std::string& where);

  /// The values of a file, each with the line on which it begins; 0 in a JSON file.
  using Lines = std::vector<std::pair<Value, int>>;

  /// Reads the argument sets of a file. Returns nullopt after an error.
  ///
  /// @param kind  "$json", "$jsonl" or "$csv".
  std::optional<Lines> ReadSets(const std::string& kind, const json::YamlNode& name,
                                const std::string& where);

 private:
  Value ReadList(const json::YamlNode& node, const std::string& where);
  Value ReadMap(const json::YamlNode& node, const std::string& where);
  Value ReadScalar(const json::YamlNode& node, const std::string& where);
  Value ReadReference(const std::string& kind, const json::YamlNode& name,
                      const std::string& where);
  Value ReadJson(const json::YamlNode& name, const std::string& where);
  std::optional<Lines> ReadJsonLines(const json::YamlNode& name, const std::string& where);
  std::optional<Lines> ReadCsv(const json::YamlNode& name, const std::string& where);
  bool CheckName(const std::string& kind, const json::YamlNode& name, const std::string& where);
  Value ReadArray(const json::YamlNode& name, const std::string& where);
  Value ReadVariable(const json::YamlNode& name, const std::string& where);
  std::optional<std::string> ReadBytes(const json::YamlNode& name, const std::string& where);
  std::optional<std::string> ReadText(const json::YamlNode& name, const std::string& where);
  Value Reject(const json::YamlNode& at, const std::string& where, const std::string& message);

  ReadContext& context_;
  std::uint64_t bytes_left_ = kMaxArgumentBytes;
};

}  // namespace kinetic::jobspec
