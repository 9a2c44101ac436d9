#include "base/hash/digest.h"
#include "base/strings.h"
#include "job/bundle/job_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::uint64_t kLargeBytes = 50U << 20;
constexpr std::size_t kNamed = 5;
constexpr std::uint64_t kMaxListBytes = 1U << 20;
constexpr std::size_t kNameLength = 32;

using Files = std::vector<const bundle::SourceEntry*>;

/// Returns the large files, the largest first.
Files FindLarge(const bundle::SourceTree& source) {
  Files files;
  for (const auto& entry : source.entries) {
    const bool is_file = entry.type == BundleEntry::Type::kFile;
    if (is_file && entry.status.size_bytes > kLargeBytes) files.push_back(&entry);
  }
  std::ranges::stable_sort(files, std::greater<>(), [](const bundle::SourceEntry* entry) {
    return entry->status.size_bytes;
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
  const Path list = context.options.cache_dir / kLargeFilesFolder /
                    Sha256::Of(source.root.native()).Hex().substr(0, kNameLength);
  const auto text = ReadFile(context.fs, list, kMaxListBytes);
  std::set<std::string> known;
  for (const auto line : Split(text ? std::string_view(*text) : "", '\n')) known.emplace(line);
  const auto line_of = [](const auto* file) { return Sha256::Of(file->path).Hex(); };
  if (std::ranges::all_of(files, [&](const auto* f) { return known.contains(line_of(f)); })) {
    return std::nullopt;
  }
  if (remember) {
    std::string lines;
    for (const auto* file : files) lines += line_of(file) + "\n";
    // Without the list, the next run repeats the warning.
    (void)MakeDirectories(context.fs, list.parent_path());
    (void)WriteFileAtomically(context.fs, list, lines);
  }
  const std::size_t more = files.size() - std::min(files.size(), kNamed);
  files.resize(files.size() - more);
  return fmt::format(
      "the bundle has large files: {}{}; exclude them with a .kineticignore, or pass them as data",
      Describe(files), more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace kinetic::job
