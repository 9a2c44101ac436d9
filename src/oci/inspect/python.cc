#include "oci/inspect/python.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "oci/inspect/tree.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace kinetic::oci {
namespace {

/// The search path of container runtimes for an image without one.
constexpr std::string_view kDefaultSearchPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view kPython = "python";

/// The loaders of glibc, by Go's names of architectures.
///
/// @source https://sourceware.org/glibc/wiki/ABIList
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGlibcLoaders{{
    {"amd64", "/lib64/ld-linux-x86-64.so.2"},
    {"arm64", "/lib/ld-linux-aarch64.so.1"},
    {"ppc64le", "/lib64/ld64.so.2"},
    {"s390x", "/lib/ld64.so.1"},
}};

struct Candidate {
  std::string path;
  std::string minor;  ///< "3.12"; empty: unknown
};

std::string SearchPathOf(const RegistryImage& image) {
  constexpr std::string_view kName = "PATH=";
  const auto config = Value::FromJson(image.config_json);
  const Value* const settings = config ? config->Find("config") : nullptr;
  const Value* const environment = settings != nullptr ? settings->Find("Env") : nullptr;
  if (environment == nullptr || environment->AsList() == nullptr)
    return std::string(kDefaultSearchPath);
  for (const Value& assignment : *environment->AsList()) {
    const std::string* const text = assignment.AsString();
    if (text != nullptr && text->starts_with(kName)) return text->substr(kName.size());
  }
  return std::string(kDefaultSearchPath);
}

/// Returns "3.12" for "python3.12" and "python3.12-config", or an empty string.
std::string MinorIn(std::string_view name) {
  if (!name.starts_with(kPython)) return {};
  name.remove_prefix(kPython.size());
  const std::string_view minor = name.substr(0, name.find_first_not_of("0123456789."));
  const std::size_t dot = minor.find('.');
  const bool is_version = dot != std::string_view::npos && dot > 0 && dot + 1 < minor.size() &&
                          minor.find('.', dot + 1) == std::string_view::npos;
  return is_version ? std::string(minor) : "";
}

/// Returns the version in the program's name, else the one in its library folder's name.
std::string MinorOf(const ImageTree& tree, const std::string& program) {
  const Path path(program);
  std::string minor = MinorIn(path.filename().native());
  if (!minor.empty()) return minor;
  const Path library = path.parent_path().parent_path() / "lib";
  for (const std::string& name : tree.ListNames(library.native(), kPython)) {
    const std::string other = MinorIn(name);
    if (!other.empty() && !minor.empty()) return {};
    if (!other.empty()) minor = other;
  }
  return minor;
}

std::optional<Candidate> CandidateAt(const ImageTree& tree, std::string_view folder,
                                     std::string_view name) {
  if (!folder.starts_with('/')) return std::nullopt;
  const auto found = tree.Find(std::string(folder) + "/" + std::string(name));
  if (!found || found->node->kind != LayerEntry::Kind::kFile || !found->node->executable) {
    return std::nullopt;
  }
  return Candidate{found->path, MinorOf(tree, found->path)};
}

Failure PythonMismatch(const RegistryImage& image, const std::optional<Candidate>& other,
                       const std::string& minor) {
  const std::string hint = "choose an image with Python " + minor + ", such as python:" + minor;
  const std::string what = "the image " + image.name;
  if (!other) return Fail(ErrorCode::kFailedPrecondition, what + " has no Python", hint);
  if (other->minor.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                "cannot find the version of " + Printable(other->path) + " in " + what +
                    ", but the job requires Python " + minor,
                hint);
  }
  return Fail(ErrorCode::kFailedPrecondition,
              what + " has Python " + other->minor + ", but the job requires " + minor,
              hint + ", or Python " + other->minor + " for the job");
}

Result<std::string> FindProgram(const ImageTree& tree, const RegistryImage& image,
                                const std::string& minor) {
  const std::string search_path = SearchPathOf(image);
  std::optional<Candidate> other;
  for (const std::string& name :
       {std::string(kPython) + minor, std::string("python3"), std::string(kPython)}) {
    for (const std::string_view folder : Split(search_path, ':')) {
      auto candidate = CandidateAt(tree, folder, name);
      if (!candidate) continue;
      if (candidate->minor == minor) return candidate->path;
      if (!other) other = std::move(candidate);
    }
  }
  return PythonMismatch(image, other, minor);
}

/// Images with musl can contain glibc's loader too (gcompat).
bool HasGlibc(const ImageTree& tree, const std::string& architecture) {
  if (!tree.ListNames("/lib", "libc.musl-").empty()) return false;
  return std::ranges::any_of(kGlibcLoaders, [&](const auto& loader) {
    return loader.first == architecture && tree.Find(loader.second);
  });
}

}  // namespace

Result<ImagePython> FindImagePython(FileSystem& fs, const std::vector<Path>& layer_files,
                                    const RegistryImage& image, const std::string& minor,
                                    const std::stop_token& stop) {
  ImageTree tree;
  for (const Path& file : layer_files) {
    std::vector<LayerEntry> entries;
    KINETIC_RETURN_IF_ERROR(
        ListLayer(fs, file, [&](LayerEntry entry) { entries.push_back(std::move(entry)); }, stop));
    tree.AddLayer(entries);
  }
  KINETIC_ASSIGN_OR_RETURN(std::string path, FindProgram(tree, image, minor));
  return ImagePython{std::move(path), HasGlibc(tree, image.architecture)};
}

}  // namespace kinetic::oci
