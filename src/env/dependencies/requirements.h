#pragma once

#include "kinetic/result.h"

#include "env/dependencies/index_settings.h"
#include "env/dependencies/urls.h"
#include "env/pep/requirement.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::env {

/// A line of a requirements file, with continuation lines joined and without its comment.
struct LogicalLine {
  std::string text;
  /// Maps an offset in `text` to a line and column of the file (bytes, from 1).
  struct Origin {
    std::size_t offset = 0;
    int line = 0;
    int column = 0;
  };
  std::vector<Origin> origins;

  /// Returns the position of an offset in `text`: "3:7".
  std::string Position(std::size_t offset) const;
};

/// Returns the lines that are not blank. Accepts a byte order mark and any line endings.
std::vector<LogicalLine> SplitLogicalLines(std::string_view text);

/// An option with its own line in a requirements file.
struct FileOption {
  enum class Kind : std::uint8_t {
    kInclude,
    kConstrain,
    kRequireHashes,
    kIndexUrl,
    kExtraIndexUrl,
    kFindLinks,
    kTrustedHost,
    kNoBinary,
    kOnlyBinary,
    kNoIndex,
    kPreferBinary,
    kPre,
  };
  Kind kind = Kind::kInclude;
  std::string value;
};

/// Reads `-i URL`, `--index-url=URL`, `-r file`, ….
/// @errors  kInvalidArgument: unknown (with a suggestion), no value, editable.
Result<FileOption> ReadFileOption(std::string_view line);

/// Applies an index option to `index`.
/// @errors  kInvalidArgument: invalid URL, local folder.
Status ApplyIndexOption(const FileOption& option, UrlReader& urls, IndexSettings& index);

/// A requirement line, split from its hashes.
struct RequirementParts {
  std::string_view requirement;  ///< into the line
  std::vector<std::string> hashes;
};

/// Splits `six==1.0 --hash=sha256:…`.
/// @errors  kInvalidArgument, with the detail "offset": other options, invalid hashes.
Result<RequirementParts> SplitRequirement(std::string_view line);

/// Version of AddAcceleratorExtras, part of manifest keys.
inline constexpr std::string_view kAcceleratorTemplate = "1";

/// Adds the accelerator's extra to packages that have one: `jax` becomes `jax[tpu]` for "tpu" and
/// `jax[cuda12]` for "gpu". Requirements that list extras are not changed.
///
/// @param category  "cpu", "gpu" or "tpu".
void AddAcceleratorExtras(std::vector<Requirement>& requirements, std::string_view category);

/// Restricts packages to wheels, because pods do not build from source.
/// @errors  kInvalidArgument: a package is required as source (`--no-binary`).
Status RequireWheels(IndexSettings& index);

/// Checks that a direct reference is to a wheel; an empty `url` passes.
/// @errors  kInvalidArgument: it is not a wheel.
Status CheckWheelUrl(std::string_view package, std::string_view url);

}  // namespace kinetic::env
