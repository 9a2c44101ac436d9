#include "kinetic/try.h"

#include "base/python/virtual_environment.h"
#include "bundle/read/unpacker.h"
#include "env/image/package_layers.h"
#include "oci/layer/byte_sink.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint32_t kProgramMode = 0755;

/// Returns the prefix as a path in a layer: "opt/kinetic/environment".
std::string FolderInLayer(const std::string& prefix) {
  return Path(prefix).relative_path().native();
}

oci::Entry MakeEntry(const bundle::TreeEntry& entry, const Path& unpacked,
                     const std::string& folder) {
  std::string path = folder + "/" + entry.path;
  switch (entry.type) {
    case BundleEntry::Type::kEmptyFolder:
      return oci::Entry::Folder(std::move(path));
    case BundleEntry::Type::kSymlink:
      return oci::Entry::Symlink(std::move(path), entry.link_target);
    case BundleEntry::Type::kFile:
      break;
  }
  return oci::Entry::FromFile(std::move(path), unpacked / entry.path,
                              entry.executable ? kProgramMode : 0644);
}

Result<LayerFile> Write(const LayerSource& source, std::string_view name,
                        std::vector<oci::Entry> entries, const std::stop_token& stop) {
  LayerFile result;
  result.file = source.scratch / (std::string(name) + ".layer");
  KINETIC_ASSIGN_OR_RETURN(oci::FileSink sink, oci::FileSink::Create(source.fs, result.file));
  const oci::ByteSink write = [&](std::string_view bytes) { return sink.Write(bytes); };
  KINETIC_ASSIGN_OR_RETURN(result.layer, oci::WriteLayer(source.fs, std::move(entries),
                                                         ImageCompression::kZstd, write, stop));
  return result;
}

/// Omits duplicates of files that several packages contain.
void Add(oci::Entry entry, std::vector<oci::Entry>& entries,
         std::set<std::string, std::less<>>& paths) {
  if (paths.insert(entry.path).second) entries.push_back(std::move(entry));
}

}  // namespace

Result<LayerFile> WritePackageLayer(const PlannedLayer& planned, const LayerSource& source,
                                    std::stop_token stop) {
  const std::string folder = FolderInLayer(source.prefix);
  const Path unpacked = source.scratch / planned.key.Hex();
  std::vector<oci::Entry> entries;
  std::set<std::string, std::less<>> paths;
  for (const auto& part : planned.parts) {
    const Path package_folder = unpacked / std::to_string(part.package);
    KINETIC_RETURN_IF_ERROR(MakeDirectories(source.fs, package_folder));
    KINETIC_RETURN_IF_ERROR(bundle::Unpack(source.store, {source.fs, package_folder},
                                           source.trees.at(part.package), {}, stop));
    for (const auto& entry : part.entries)
      Add(MakeEntry(entry, package_folder, folder), entries, paths);
  }
  auto result = Write(source, planned.key.Hex(), std::move(entries), stop);
  KINETIC_RETURN_IF_ERROR(RemoveTree(source.fs, unpacked));
  if (!result)
    return Failure(std::move(result).error().Context("cannot create the layer of " + planned.name));
  return result;
}

Result<LayerFile> WriteVirtualEnvironmentLayer(const LayerSource& source,
                                               const std::string& interpreter,
                                               const std::string& python, std::stop_token stop) {
  const std::string folder = FolderInLayer(source.prefix);
  const std::string packages = folder + "/lib/python" + python + "/site-packages";
  std::vector<oci::Entry> entries{
      oci::Entry::FromBytes(folder + "/pyvenv.cfg", VirtualenvConfig(interpreter, "")),
      oci::Entry::FromBytes(folder + "/bin/pip", std::string(kPipProgram), kProgramMode),
      oci::Entry::FromBytes(packages + "/pip.py", std::string(kPipModule)),
      oci::Entry::Symlink(folder + "/bin/python", interpreter),
      oci::Entry::Symlink(folder + "/bin/python3", "python"),
      oci::Entry::Symlink(folder + "/bin/python" + python, "python"),
      oci::Entry::Symlink(folder + "/bin/pip3", "pip")};
  auto result = Write(source, "environment", std::move(entries), stop);
  if (!result)
    return Failure(
        std::move(result).error().Context("cannot create the layer of the virtual environment"));
  return result;
}

}  // namespace kinetic::env
