#include "job/submit/program.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "base/hash/digest.h"
#include "base/strings.h"
#include "native/job_process.h"
#include "native/program_file.h"
#include "native/protocol.h"
#include "oci/inspect/elf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::uint64_t kMaxProgramBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMaxListBytes = 4U << 20;

/// The files of a staged program, by their paths in its folder.
using Files = std::map<std::string, Path>;

Path LibraryPath(std::string_view name) { return Path(native::kLibrariesName) / name; }

/// Returns the folders with the libraries: those of a job's own program, LD_LIBRARY_PATH, and those
/// of the machine.
Result<std::vector<Path>> LibraryFolders(const Context& context, const Path& program,
                                         std::uint16_t machine) {
  std::vector<Path> folders;
  if (context.fs.Lstat(program.parent_path() / native::kLoaderName))
    folders.push_back(program.parent_path() / native::kLibrariesName);
  const auto variable = context.options.environment.find("LD_LIBRARY_PATH");
  if (variable != context.options.environment.end()) {
    for (const std::string_view folder : Split(variable->second, ':'))
      if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto system, oci::FindLibraryFolders(context.fs, machine));
  folders.insert(folders.end(), system.begin(), system.end());
  return folders;
}

Result<Files> FindFiles(const Context& context, const Path& program) {
  KINETIC_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(context.fs, program, kMaxProgramBytes));
  KINETIC_ASSIGN_OR_RETURN(const oci::Elf elf, oci::ReadElf(bytes, program.native()));
  if (elf.machine != oci::kMachineAmd64)
    return Fail(ErrorCode::kUnimplemented,
                fmt::format("{}: the program is not for x86-64 (ELF machine {})",
                            Printable(program.native()), elf.machine),
                "build it for x86-64, which jobs run on");
  Files files{{std::string(native::kProgramName), program}};
  KINETIC_ASSIGN_OR_RETURN(const auto folders, LibraryFolders(context, program, elf.machine));
  KINETIC_ASSIGN_OR_RETURN(const oci::SharedLibraries libraries,
                           oci::FindSharedLibraries(context.fs, bytes, program, {}, folders));
  const Path loader = Path(libraries.interpreter).filename();
  for (const auto& [name, file] : libraries.files)
    files.emplace(name == loader ? std::string(native::kLoaderName) : LibraryPath(name).native(),
                  file);
  return files;
}

/// Returns what identifies the content of a file: its size, times and inode.
Result<std::string> Identify(FileSystem& fs, const Path& file) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd opened, fs.Open(file, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(opened.get()));
  return fmt::format("{} {} {} {}", status.size_bytes, status.mtime_ns, status.ctime_ns,
                     status.inode);
}

/// A line of the list for each file: its path in the folder, its place, and its identity.
Result<std::string> FormatList(FileSystem& fs, const Files& files) {
  std::string list;
  for (const auto& [name, file] : files) {
    KINETIC_ASSIGN_OR_RETURN(const std::string identity, Identify(fs, file));
    list += fmt::format("{}\t{}\t{}\n", name, file.native(), identity);
  }
  return list;
}

/// Returns the files of a list.
Files ParseList(std::string_view list) {
  Files files;
  for (const std::string_view line : Split(list, '\n')) {
    const auto parts = Split(line, '\t');
    if (parts.size() == 3) files.emplace(parts[0], parts[1]);
  }
  return files;
}

/// Returns whether none of the files has changed since the list was written.
bool IsCurrent(FileSystem& fs, const Path& list, const Path& folder, const Path& program) {
  const auto text = ReadFile(fs, list, kMaxListBytes);
  if (!text || !fs.Lstat(folder / native::kProgramName)) return false;
  const Files files = ParseList(*text);
  const auto own = files.find(std::string(native::kProgramName));
  if (own == files.end() || own->second != program) return false;
  const auto now = FormatList(fs, files);
  return now && *now == *text;
}

/// Replaces the folder, if it exists, by one with links to the files.
Status Link(FileSystem& fs, const Files& files, const Path& folder) {
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, folder));
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder / native::kLibrariesName, 0700));
  for (const auto& [name, file] : files)
    KINETIC_RETURN_IF_ERROR(fs.MakeSymlink(file.native(), folder / name));
  return {};
}

}  // namespace

Result<Path> StageProgram(const Context& context, const Path& program) {
  constexpr std::size_t kNameLength = 32;
  FileSystem& fs = context.fs;
  const Path programs = context.options.cache_dir / kProgramsFolder;
  // Another LD_LIBRARY_PATH can lead to other libraries.
  const auto variable = context.options.environment.find("LD_LIBRARY_PATH");
  const bool has_folders = variable != context.options.environment.end();
  const std::string identity =
      program.native() + '\n' + (has_folders ? variable->second : std::string());
  const std::string name = Sha256::Of(identity).Hex().substr(0, kNameLength);
  Path folder = programs / name;
  const Path list = programs / (name + ".files");
  if (IsCurrent(fs, list, folder, program)) return folder;
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, programs, 0700));
  KINETIC_ASSIGN_OR_RETURN(const FileLock lock, FileLock::Acquire(fs, programs / (name + ".lock")));
  if (IsCurrent(fs, list, folder, program)) return folder;
  KINETIC_ASSIGN_OR_RETURN(const Files files, FindFiles(context, program));
  KINETIC_ASSIGN_OR_RETURN(const std::string text, FormatList(fs, files));
  KINETIC_RETURN_IF_ERROR(Link(fs, files, folder));
  KINETIC_RETURN_IF_ERROR(WriteFileAtomically(fs, list, text, 0600));
  return folder;
}

Status AddProgram(const Context& context, JobSpec& spec) {
  if (!spec.function || !spec.function->IsNative()) return {};
  if (!native::IsEnabled())
    return Fail(ErrorCode::kFailedPrecondition,
                "cannot call " + spec.function->callable +
                    " as a job: the program did not call kinetic::InitFunctions",
                "call kinetic::InitFunctions(argc, argv) at the start of main(); a job would run "
                "main() instead of the function");
  KINETIC_ASSIGN_OR_RETURN(const Path program, native::ProgramFile(context.fs));
  KINETIC_ASSIGN_OR_RETURN(const Path folder, StageProgram(context, program));
  spec.data[std::string(native::kProgramFolder)] = {.source = folder.native(),
                                                    .follow_links = true};
  return {};
}

}  // namespace kinetic::job
