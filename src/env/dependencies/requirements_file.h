#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "env/dependencies/index_settings.h"
#include "env/pep/requirement.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kinetic::env {

/// What a requirements file says, with the files that it includes.
struct RequirementsFile {
  std::vector<Requirement> requirements;  ///< in order; URLs in their shown form
  std::vector<Requirement> constraints;
  IndexSettings index;
  PrivateUrls private_urls;
  bool require_hashes = false;
};

/// Gives the text of a file.
using TextSource = std::function<Result<std::string>(const Path& path)>;

/// Reads a requirements file in pip's grammar: PEP 508 requirements, URLs, `-r`, `-c`, `--hash`,
/// index and format options, continued lines, comments, `${NAME}` in URLs. Refused with a reason:
/// editable and local requirements, version control, options that are not known.
///
/// @param environment  values of `${NAME}`.
/// @errors  kInvalidArgument: one line for each error, "requirements.txt:3:7: …" · those of
/// reading.
/// @source  https://pip.pypa.io/en/stable/reference/requirements-file-format/
Result<RequirementsFile> ReadRequirements(const Path& path, const TextSource& source,
                                          const std::map<std::string, std::string>& environment);

}  // namespace kinetic::env
