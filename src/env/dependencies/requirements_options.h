#pragma once

#include "kinetic/result.h"

#include "env/dependencies/index_settings.h"
#include "env/dependencies/urls.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// An option that has a line of its own in a requirements file.
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
/// @errors  kInvalidArgument: not known (with the nearest that is), no value, editable.
Result<FileOption> ReadFileOption(std::string_view line);

/// Puts an index option into `index`.
/// @errors  kInvalidArgument: a wrong URL, a local folder.
Status ApplyIndexOption(const FileOption& option, UrlReader& urls, IndexSettings& index);

/// A requirement line and the hashes after it.
struct RequirementParts {
  std::string_view requirement;  ///< into the line
  std::vector<std::string> hashes;
};

/// Splits `six==1.0 --hash=sha256:…`.
/// @errors  kInvalidArgument, with the detail "offset": other options, wrong hashes.
Result<RequirementParts> SplitRequirement(std::string_view line);

}  // namespace kinetic::env
