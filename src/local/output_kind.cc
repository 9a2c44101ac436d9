#include "base/strings.h"
#include "local/outputs.h"

#include <algorithm>
#include <utility>

namespace kinetic::local {
namespace {

constexpr std::string_view kExecutable = "executable";
constexpr std::string_view kLink = "link";
/// Objects have at most 4,096 bytes of metadata.
constexpr std::size_t kMaxLinkBytes = 3500;
constexpr std::uint32_t kOwnerMayExecute = 0100;

std::vector<std::string_view> FoldersOf(std::string_view path) {
  auto parts = Split(path, '/');
  parts.pop_back();
  return parts;
}

}  // namespace

store::Metadata ToMetadata(const OutputKind& kind) {
  store::Metadata metadata;
  if (kind.executable) metadata.emplace(kExecutable, "1");
  if (kind.link.empty()) return metadata;
  std::string link = EncodeObjectPath(kind.link);
  if (link.size() > kMaxLinkBytes) return metadata;
  metadata.emplace(kLink, std::move(link) + (kind.links_folder ? "/" : ""));
  return metadata;
}

OutputKind OutputKindOf(const store::Metadata& metadata) {
  OutputKind kind;
  kind.executable = metadata.contains(std::string(kExecutable));
  const auto link = metadata.find(std::string(kLink));
  if (link == metadata.end()) return kind;
  std::string_view target = link->second;
  kind.links_folder = target.ends_with('/');
  if (kind.links_folder) target.remove_suffix(1);
  kind.link = DecodeObjectPath(target);
  return kind;
}

OutputKind OutputKindOf(const ScannedOutput& output) {
  OutputKind kind;
  if (output.IsLink()) kind.link = RelativeTarget(output.path, output.destination);
  kind.links_folder = output.status.type == FileType::kDirectory;
  kind.executable = !kind.links_folder && (output.status.mode & kOwnerMayExecute) != 0;
  return kind;
}

std::string RelativeTarget(std::string_view path, std::string_view destination) {
  auto from = FoldersOf(path);
  std::string target;
  while (!from.empty()) {
    const std::string_view first = from.front();
    const bool shared = destination.starts_with(first) && destination.size() > first.size() &&
                        destination[first.size()] == '/';
    if (!shared) break;
    destination.remove_prefix(first.size() + 1);
    from.erase(from.begin());
  }
  for (std::size_t i = 0; i < from.size(); ++i) target += "../";
  target += destination;
  return target;
}

std::optional<std::string> DestinationOf(std::string_view path, std::string_view target) {
  auto folders = FoldersOf(path);
  while (target.starts_with("../")) {
    if (folders.empty()) return std::nullopt;
    folders.pop_back();
    target.remove_prefix(3);
  }
  for (const std::string_view part : Split(target, '/')) {
    if (part.empty() || part == "." || part == "..") return std::nullopt;
    if (part.find('\0') != std::string_view::npos) return std::nullopt;
  }
  std::string destination;
  for (const std::string_view folder : folders) destination.append(folder) += '/';
  destination += target;
  return destination;
}

}  // namespace kinetic::local
