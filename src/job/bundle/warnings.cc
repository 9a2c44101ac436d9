#include "base/strings.h"
#include "job/bundle/job_bundle.h"
#include "job/bundle/seen_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::uint64_t kLargeBytes = 50U << 20;
constexpr std::size_t kNamed = 5;

using Files = std::vector<const bundle::SourceEntry*>;

/// Returns the large files, the largest first.
Files FindLarge(const bundle::SourceTree& source) {
  Files files;
  for (const auto& entry : source.entries) {
    const bool is_file = entry.type == BundleEntry::Type::kFile;
    if (is_file && entry.status.size_bytes > kLargeBytes) files.push_back(&entry);
  }
  std::ranges::sort(files, [](const auto* a, const auto* b) {
    return std::tie(b->status.size_bytes, a->path) < std::tie(a->status.size_bytes, b->path);
  });
  return files;
}

std::string Describe(const Files& files) {
  std::string names;
  for (const auto* file : files) {
    if (!names.empty()) names += ", ";
    names += fmt::format("{} ({})", Printable(file->path), FormatBytes(file->status.size_bytes));
  }
  return names;
}

}  // namespace

std::optional<std::string> LargeFilesWarning(const Context& context,
                                             const bundle::SourceTree& source, bool remember) {
  Files files = FindLarge(source);
  if (files.empty()) return std::nullopt;
  const SeenList seen(context, kLargeFilesFolder, source.root);
  if (std::ranges::all_of(files, [&](const auto* file) { return seen.Has(file->path); })) {
    return std::nullopt;
  }
  if (remember) {
    std::vector<std::string> paths;
    for (const auto* file : files) paths.push_back(file->path);
    seen.Keep(paths);
  }
  const std::size_t more = files.size() - std::min(files.size(), kNamed);
  files.resize(files.size() - more);
  return fmt::format(
      "the bundle has large files: {}{}; exclude them with a .kineticignore, or pass them as data",
      Describe(files), more == 0 ? "" : fmt::format(" and {} more", more));
}

std::vector<std::string> NewWarnings(const Context& context, const bundle::SourceTree& source,
                                     bool remember) {
  if (source.entries.empty() || source.warnings.empty()) return source.warnings;
  const SeenList seen(context, kBundleWarningsFolder, source.root);
  std::vector<std::string> unseen;
  for (const auto& warning : source.warnings)
    if (!seen.Has(warning)) unseen.push_back(warning);
  if (remember && !unseen.empty()) seen.Keep(source.warnings);
  return unseen;
}

}  // namespace kinetic::job
