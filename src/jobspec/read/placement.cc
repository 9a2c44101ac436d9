#include "kinetic/datasets.h"

#include "base/strings.h"
#include "jobspec/read/context.h"
#include "jobspec/schema/shape.h"

#include <algorithm>
#include <optional>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

void ReadAccelerator(const YamlNode& node, const ReadContext& context, JobSpec& spec) {
  const auto name = TextOf(&node);
  if (!name || name->empty() || context.diagnostics.full()) return;
  auto accelerator = ParseAccelerator(*name);
  if (!accelerator) {
    context.diagnostics.Add(node, "accelerator: " + accelerator.error().message);
    return;
  }
  const auto& known = spec.accelerators;
  if (std::ranges::find(known, *accelerator) != known.end()) {
    context.diagnostics.Add(
        node, "accelerator: duplicate " + Found(node) + "; list each accelerator once");
    return;
  }
  spec.accelerators.push_back(*std::move(accelerator));
}

void ReadSource(const YamlNode& node, const ReadContext& context, DataSource& into) {
  const auto text = TextOf(&node);
  if (!text || text->empty()) return;
  const auto scheme = text->find("://");
  if (scheme == std::string::npos) {
    into.source = context.AbsolutePath(node).string();
    return;
  }
  into.source = *text;
  if (text->starts_with("gs://") && text->size() > 5 && (*text)[5] != '/') return;
  if (text->starts_with(kDatasetScheme) && IsDataSetName(text->substr(kDatasetScheme.size()))) {
    return;
  }
  context.diagnostics.Add(node, "data: found " + Found(node) +
                                    ", expected a local path, gs://bucket/prefix or data://NAME");
}

void ReadFollowLinks(const YamlNode& entry, DataSource& source, const ReadContext& context) {
  const YamlNode* follow = Find(entry, "follow_links");
  source.follow_links = BoolOf(follow).value_or(false);
  if (source.follow_links && source.source.find("://") != std::string::npos) {
    context.diagnostics.Add(*follow,
                            "data: follow_links has an effect only on local folders; for a "
                            "dataset, use 'kinetic data put --follow-links'");
  }
}

/// Returns the data path that contains `path` or is in it.
std::optional<std::string> FindOverlap(const JobSpec& spec, const Path& path) {
  for (Path above = path.parent_path(); above.has_relative_path(); above = above.parent_path()) {
    if (spec.data.contains(above.string())) return above.string();
  }
  const auto below = spec.data.lower_bound(path.string() + "/");
  if (below == spec.data.end() || !below->first.starts_with(path.string() + "/")) return {};
  return below->first;
}

/// Returns whether a file system can hold the path below the job's data folder.
bool IsTooLong(const Path& path) {
  constexpr std::size_t kMaxNameBytes = 255;
  constexpr std::size_t kMaxDataPathBytes = 1024;
  return path.native().size() > kMaxDataPathBytes ||
         std::ranges::any_of(path,
                             [](const Path& name) { return name.native().size() > kMaxNameBytes; });
}

void ReadData(const YamlNode& data, const ReadContext& context, JobSpec& spec) {
  for (const auto& [key, value] : data.members) {
    if (!key.text.starts_with('/')) continue;
    Path path = Path(key.text).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    if (path == "/") {
      context.diagnostics.Add(key, "data: cannot be mounted at /; use a folder below it");
      continue;
    }
    if (IsTooLong(path)) {
      context.diagnostics.Add(
          key, "data: the path " + Found(key) +
                   " is too long; expected at most 1024 bytes, and 255 between slashes");
      continue;
    }
    if (const auto other = FindOverlap(spec, path)) {
      context.diagnostics.Add(key, "data: " + Printable(path.string()) + " and " +
                                       Printable(*other) +
                                       " overlap; use paths that do not contain each other");
    }
    DataSource source;
    const YamlNode* nested = Find(value, "source");
    const YamlNode& place = nested == nullptr ? value : *nested;
    ReadSource(place, context, source);
    source.mount = TextOf(Find(value, "mode")) == "mount";
    ReadFollowLinks(value, source, context);
    context.positions.emplace("data." + path.string(), context.diagnostics.PositionOf(place));
    if (!spec.data.emplace(path.string(), source).second) {
      context.diagnostics.Add(key, "data: duplicate path " + Printable(path.string()));
    }
  }
}

/// Records the positions of the fields in `pod`, up to a limit.
void RecordPositions(const YamlNode& node, const std::string& path, ReadContext& context) {
  constexpr std::size_t kMaxPositions = 10'000;
  if (context.positions.size() > kMaxPositions) return;
  const auto note = [&](const YamlNode& nested, const std::string& nested_path) {
    context.positions.emplace(nested_path, context.diagnostics.PositionOf(nested));
    RecordPositions(nested, nested_path, context);
  };
  for (const auto& [key, value] : node.members) note(value, path + "." + key.text);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    note(node.items[i], path + "[" + std::to_string(i) + "]");
  }
}

}  // namespace

void ReadPlacement(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  if (const auto* accelerator = Find(root, "accelerator")) {
    ReadAccelerator(*accelerator, context, spec);
    for (const auto& item : accelerator->items) ReadAccelerator(item, context, spec);
  }
  if (spec.accelerators.empty()) spec.accelerators = {*ParseAccelerator("cpu")};
  if (const auto* data = Find(root, "data")) ReadData(*data, context, spec);
  spec.spot = BoolOf(Find(root, "spot")).value_or(false);
  spec.flex_start = BoolOf(Find(root, "flex_start")).value_or(false);
  spec.reservation = TextOf(Find(root, "reservation")).value_or("");
  spec.slices = static_cast<std::uint32_t>(IntOf(Find(root, "slices")).value_or(1));
  spec.queue = TextOf(Find(root, "queue")).value_or("");
  spec.target = TextOf(Find(root, "target")).value_or("");
  const YamlNode* pod = Find(root, "pod");
  if (pod != nullptr && pod->kind == YamlNode::Kind::kMap && !pod->members.empty()) {
    spec.pod = json::ToValue(*pod);
    RecordPositions(*pod, "pod", context);
  }
}

}  // namespace kinetic::jobspec
