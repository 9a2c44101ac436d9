#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

/// What a Python file offers to a job. Found by its lines, without running it.
struct ScannedFile {
  std::string name;                    ///< "train.py", "src/pkg/train.py"
  std::vector<std::string> functions;  ///< public functions at top level, in order
  bool is_script = false;              ///< tests __name__ == "__main__"
  bool has_inline_metadata = false;    ///< lists its own dependencies (PEP 723)
  std::string accelerated;             ///< an imported package that uses accelerators; may be empty
};

/// What a folder offers to a job.
struct ScannedProject {
  std::vector<ScannedFile> files;           ///< the best candidate first; without tests
  std::optional<std::string> dependencies;  ///< file that lists them, here or in a parent folder
};

/// Reads the Python files of a folder, of its src/ and of the packages in src/, up to 1 MiB of each.
ScannedProject ScanProject(const std::filesystem::path& folder);

/// Reads one Python file, up to 1 MiB.
///
/// @param name  relative to `folder`.
ScannedFile ScanFile(const std::filesystem::path& folder, const std::filesystem::path& name);

/// Returns the function of a file that a job most likely calls: main, train, run, or its first one.
std::optional<std::string> MainFunction(const ScannedFile& file);

/// Returns the parameters of a function that a job must pass by name, in order. Empty if the file
/// does not define it in a form that is easy to read.
std::vector<std::string> RequiredParameters(const std::filesystem::path& file,
                                            const std::string& function);

}  // namespace kinetic::cli
