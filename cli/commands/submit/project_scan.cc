#include "commands/submit/project_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinetic::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = 1U << 20;
constexpr const char* kSourceFolder = "src";  // on the import path of a job
constexpr std::array<std::string_view, 6> kAccelerated = {"jax",   "torch", "tensorflow",
                                                          "keras", "flax",  "keras_hub"};
constexpr std::array<std::string_view, 4> kManifests = {"pyproject.toml", "uv.lock",
                                                        "requirements.txt", "setup.py"};

/// Returns the identifier at the beginning of a text.
std::string_view Identifier(std::string_view text) {
  const auto end = std::ranges::find_if_not(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// Returns the text after a prefix, or an empty text.
std::string_view After(std::string_view line, std::string_view prefix) {
  return line.starts_with(prefix) ? line.substr(prefix.size()) : std::string_view();
}

void ScanLine(std::string_view line, ScannedFile& file) {
  for (const std::string_view keyword : {"def ", "async def "}) {
    const std::string_view name = Identifier(After(line, keyword));
    if (!name.empty() && name.front() != '_') file.functions.emplace_back(name);
  }
  for (const std::string_view keyword : {"import ", "from "}) {
    const std::string_view package = Identifier(After(line, keyword));
    if (file.accelerated.empty() && std::ranges::find(kAccelerated, package) != kAccelerated.end())
      file.accelerated = package;
  }
  if (line.starts_with("if __name__ ==")) file.is_script = true;
  if (line == "# /// script") file.has_inline_metadata = true;
}

bool IsCandidate(const fs::directory_entry& entry) {
  std::error_code ignored;
  const std::string name = entry.path().filename().string();
  return entry.path().extension() == ".py" && entry.is_regular_file(ignored) &&
         !name.starts_with("test_") && !name.ends_with("_test.py") && !name.starts_with("_") &&
         name != "setup.py" && name != "conftest.py";
}

/// Orders candidates: usual names first, then files with something to run.
std::pair<int, std::string> RankOf(const ScannedFile& file) {
  constexpr std::array<std::string_view, 4> kUsual = {"main.py", "train.py", "app.py", "run.py"};
  const auto usual = std::ranges::find(kUsual, fs::path(file.name).filename().string());
  if (usual != kUsual.end()) return {static_cast<int>(usual - kUsual.begin()), {}};
  const bool runs = file.is_script || !file.functions.empty();
  return {runs ? 10 : 11, file.name};
}

/// Adds the files of one folder, the best candidate first.
void ScanFolder(const fs::path& root, const fs::path& folder, std::vector<ScannedFile>& files) {
  std::error_code ignored;
  std::vector<ScannedFile> found;
  for (const auto& entry : fs::directory_iterator(root / folder, ignored))
    if (IsCandidate(entry)) found.push_back(ScanFile(root, folder / entry.path().filename()));
  std::ranges::sort(found, {}, RankOf);
  std::ranges::move(found, std::back_inserter(files));
}

/// Returns the packages in src/, in order.
std::vector<fs::path> PackagesIn(const fs::path& root) {
  std::error_code ignored;
  std::vector<fs::path> packages;
  for (const auto& entry : fs::directory_iterator(root / kSourceFolder, ignored))
    if (fs::exists(entry.path() / "__init__.py", ignored))
      packages.push_back(fs::path(kSourceFolder) / entry.path().filename());
  std::ranges::sort(packages);
  return packages;
}

std::optional<std::string> FindDependencies(fs::path folder) {
  std::error_code ignored;
  for (std::string prefix;; folder = folder.parent_path(), prefix += "../") {
    for (const std::string_view name : kManifests)
      if (fs::is_regular_file(folder / name, ignored)) return prefix + std::string(name);
    if (fs::exists(folder / ".git", ignored) || !folder.has_relative_path()) return std::nullopt;
  }
}

/// Returns the text of a file from the parameters of a top-level function on.
std::string TextAfterDef(const fs::path& path, const std::string& function) {
  std::ifstream in(path);
  std::string text(kMaxBytes, '\n');
  in.read(text.data() + 1, kMaxBytes - 1);
  text.resize(static_cast<std::size_t>(in.gcount()) + 1);
  for (const std::string_view keyword : {"\ndef ", "\nasync def "}) {
    const std::string begin = std::string(keyword) + function + "(";
    const std::size_t found = text.find(begin);
    if (found != std::string::npos) return text.substr(found + begin.size());
  }
  return {};
}

/// Splits the text before the closing parenthesis at the commas outside of brackets. Leaves out
/// spaces, comments and the content of strings.
std::vector<std::string> SplitParameters(std::string_view text) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  char skipped_until = 0;
  for (const char c : text) {
    if (skipped_until != 0) {
      if (c == skipped_until) skipped_until = 0;
      continue;
    }
    if (c == ')' && depth == 0) return pieces;
    if (c == '#') skipped_until = '\n';
    if (c == '\'' || c == '"') skipped_until = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0)
      pieces.emplace_back();
    else if (skipped_until == 0 && std::isspace(static_cast<unsigned char>(c)) == 0)
      pieces.back() += c;
  }
  return {};
}

}  // namespace

ScannedFile ScanFile(const fs::path& folder, const fs::path& name) {
  ScannedFile file{.name = name.string()};
  std::ifstream in(folder / name);
  std::size_t bytes = 0;
  for (std::string line; bytes < kMaxBytes && std::getline(in, line); bytes += line.size() + 1)
    ScanLine(line, file);
  return file;
}

ScannedProject ScanProject(const fs::path& folder) {
  ScannedProject project{.files = {}, .dependencies = FindDependencies(folder)};
  ScanFolder(folder, {}, project.files);
  ScanFolder(folder, kSourceFolder, project.files);
  for (const fs::path& package : PackagesIn(folder)) ScanFolder(folder, package, project.files);
  return project;
}

std::vector<std::string> RequiredParameters(const fs::path& file, const std::string& function) {
  std::vector<std::string> required;
  for (const std::string& piece : SplitParameters(TextAfterDef(file, function))) {
    const std::string_view name = Identifier(piece);
    if (piece == "/") return {};  // the ones before it have no names for a job
    if (!name.empty() && piece.find('=') == std::string::npos) required.emplace_back(name);
  }
  return required;
}

std::optional<std::string> MainFunction(const ScannedFile& file) {
  for (const std::string_view usual : {"main", "train", "run"})
    if (std::ranges::find(file.functions, usual) != file.functions.end()) return std::string(usual);
  if (file.functions.empty()) return std::nullopt;
  return file.functions.front();
}

}  // namespace kinetic::cli
