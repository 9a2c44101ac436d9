#include "runner/program/install_project.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/python/entry_points.h"
#include "base/python/names.h"
#include "base/python/virtual_environment.h"
#include "http/url.h"
#include "runner/program/read_project.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::string_view kPretendVersion = "SETUPTOOLS_SCM_PRETEND_VERSION";

Result<Path> FindSitePackages(FileSystem& fs, const Path& environment) {
  const Path lib = environment / "lib";
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(lib));
  for (const auto& entry : entries) {
    Path site = lib / entry.name / "site-packages";
    if (entry.name.starts_with("python") && fs.Lstat(site)) return site;
  }
  return Fail(ErrorCode::kNotFound, lib.native() + " has no site-packages");
}

std::string FileUrl(const Path& path) {
  std::string url = "file://";
  for (const auto& part : path.relative_path()) url += "/" + http::PercentEncode(part.native());
  return url;
}

/// Returns a name or version as it appears in a distribution's file names.
std::string FileName(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

class ProjectInstaller {
 public:
  ProjectInstaller(FileSystem& fs, const Project& project, const Path& environment)
      : fs_(fs),
        project_(project),
        environment_(environment),
        stem_(FileName(NormalizedName(project.name)) + "-" + FileName(project.version)) {}

  Status Install() {
    KINETIC_ASSIGN_OR_RETURN(site_, FindSitePackages(fs_, environment_));
    KINETIC_RETURN_IF_ERROR(RemoveOthers());
    KINETIC_RETURN_IF_ERROR(WriteScripts());
    return WriteMetadata();
  }

 private:
  /// Removes the metadata of a package with the same name, because Python may find either of the
  /// two.
  Status RemoveOthers() {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(site_));
    for (const auto& [name, type] : entries) {
      if (name.ends_with(".dist-info") &&
          NormalizedName(name.substr(0, name.find('-'))) == NormalizedName(project_.name))
        KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, site_ / name));
    }
    return {};
  }

  Status WriteScripts() {
    const std::string first_line = ShebangLine(environment_.native());
    for (const auto& [name, entry] : ParseEntryPoints(project_.entry_points)) {
      if (name == "python") continue;  // the interpreter of the scripts
      KINETIC_RETURN_IF_ERROR(
          Write("../../../bin/" + name, first_line + "\n" + EntryPointScript(entry), 0755));
    }
    return {};
  }

  Status WriteMetadata() {
    std::string folders;
    for (const auto& source : project_.sources) folders += source.native() + "\n";
    const Value url(Value::Map{{"dir_info", Value::Map{{"editable", true}}},
                               {"url", FileUrl(project_.folder)}});
    const std::string info = stem_ + ".dist-info/";
    KINETIC_RETURN_IF_ERROR(fs_.MakeDirectory(site_ / (stem_ + ".dist-info"), 0755));
    KINETIC_RETURN_IF_ERROR(Write("__editable__." + stem_ + ".pth", folders));
    KINETIC_RETURN_IF_ERROR(Write(
        info + "METADATA", "Metadata-Version: 2.1\nName: " + project_.name +
                               "\nVersion: " + project_.version + "\n" + project_.requirements));
    KINETIC_RETURN_IF_ERROR(Write(info + "entry_points.txt", project_.entry_points));
    KINETIC_RETURN_IF_ERROR(Write(info + "INSTALLER", "kinetic\n"));
    KINETIC_RETURN_IF_ERROR(Write(info + "direct_url.json", url.ToJson()));
    return Write(info + "RECORD", record_ + info + "RECORD,,\n");
  }

  /// Replaces a script of a package rather than writing into it, because it may be a hard link.
  Status Write(const std::string& name, std::string_view text, std::uint32_t mode = 0644) {
    const Path path = (site_ / name).lexically_normal();
    const Status removed = fs_.Unlink(path);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
    record_ += name + ",,\n";
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(path, OpenMode::kCreateNew, mode));
    return fs_.Write(fd.get(), text);
  }

  FileSystem& fs_;
  const Project& project_;
  const Path& environment_;
  const std::string stem_;  ///< "name-1.2"
  Path site_;
  std::string record_;
};

/// Returns the project nearest to the folder that the program starts in.
Result<std::optional<Project>> FindProject(FileSystem& fs, const ProjectPlaces& places) {
  const Path below = places.folder.lexically_relative(places.root);
  std::vector<Path> folders{places.root};
  for (const auto& part : below) {
    if (part == "..") break;
    if (part != "." && !part.empty()) folders.push_back(folders.back() / part);
  }
  for (; !folders.empty(); folders.pop_back()) {
    KINETIC_ASSIGN_OR_RETURN(auto project, ReadProject(fs, folders.back()));
    if (project) return project;
  }
  return std::optional<Project>();
}

}  // namespace

std::string InstallProject(FileSystem& fs, const ProjectPlaces& places,
                           const std::map<std::string, std::string>& variables) {
  auto found = FindProject(fs, places);
  if (!found) return "the project is not installed: " + found.error().message;
  if (!*found) return {};
  Project& project = **found;
  std::string note;
  if (project.version.empty()) {
    const auto pretended = variables.find(std::string(kPretendVersion));
    if (pretended != variables.end() && IsVersion(pretended->second)) {
      project.version = pretended->second;
    } else {
      project.version = "0.0.0+unknown";
      note = "the version of project " + project.name + " is " + project.version +
             ", because only its build backend can compute it; to set it, add " +
             std::string(kPretendVersion) + " to 'env' in the job file";
    }
  }
  const Status installed = ProjectInstaller(fs, project, places.environment).Install();
  if (installed) return note;
  return "project " + project.name + " is not installed: " + installed.error().message;
}

}  // namespace kinetic::runner
