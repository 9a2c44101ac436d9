#include "kinetic/try.h"
#include "kinetic/version.h"

#include "base/strings.h"
#include "oci/build/image.h"
#include "oci/format/reference.h"
#include "oci/inspect/elf.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kMaxProgramBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxCertificatesBytes = 16U << 20;
constexpr const char* kPrograms = "kinetic-runner/bin";
constexpr const char* kLibraries = "kinetic-runner/lib";
/// The runner loads it on first network access.
constexpr const char* kNetworkLibrary = "libcurl.so.4";
constexpr const char* kUsers =
    "root:x:0:0:root:/:/sbin/nologin\nkinetic:x:65532:65532:kinetic:/tmp:/sbin/nologin\n";
constexpr const char* kGroups = "root:x:0:\nkinetic:x:65532:\n";
constexpr const char* kNameServices = "passwd: files\ngroup: files\nhosts: files dns\n";

struct Program {
  std::string bytes;
  Elf elf;
};

Result<Program> ReadProgram(FileSystem& fs, const Path& path) {
  Program program;
  KINETIC_ASSIGN_OR_RETURN(program.bytes, ReadFile(fs, path, kMaxProgramBytes));
  KINETIC_ASSIGN_OR_RETURN(program.elf, ReadElf(program.bytes, path.string()));
  return program;
}

Result<std::string> ArchitectureOf(const Program& program, const Path& path) {
  if (program.elf.machine == kMachineAmd64) return "amd64";
  if (program.elf.machine == kMachineArm64) return "arm64";
  return Fail(ErrorCode::kUnimplemented,
              fmt::format("{}: the program is for neither amd64 nor arm64 (ELF machine {})",
                          path.string(), program.elf.machine));
}

Result<Entry> ProgramEntry(const char* name, const Program& program, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(std::string stripped, StripElf(program.bytes, path.string()));
  return Entry::FromBytes(fmt::format("{}/{}", kPrograms, name), std::move(stripped), 0755);
}

/// Links by which programs find the loader, and the loader finds the libraries.
std::vector<Entry> LoaderLinks(const std::string& interpreter) {
  std::vector<Entry> links = {Entry::Symlink("lib", fmt::format("/{}", kLibraries))};
  const std::string folder = Path(interpreter).parent_path().relative_path();
  if (!folder.empty() && folder != "lib")
    links.push_back(Entry::Symlink(folder, fmt::format("/{}", kLibraries)));
  return links;
}

Result<std::vector<Entry>> SystemFiles(FileSystem& fs, const Path& ca_certificates) {
  KINETIC_ASSIGN_OR_RETURN(std::string certificates,
                           ReadFile(fs, ca_certificates, kMaxCertificatesBytes));
  if (certificates.find("-----BEGIN CERTIFICATE-----") == std::string::npos)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: contains no certificate", ca_certificates.string()),
                "use a bundle of PEM certificates (Debian: apt install ca-certificates)");
  return std::vector<Entry>{
      Entry::FromBytes("etc/ssl/certs/ca-certificates.crt", std::move(certificates)),
      Entry::FromBytes("etc/passwd", kUsers), Entry::FromBytes("etc/group", kGroups),
      Entry::FromBytes("etc/nsswitch.conf", kNameServices), Entry::Folder("tmp", 01777)};
}

Result<std::vector<Entry>> LibraryEntries(FileSystem& fs, const Program& runner, const Path& path,
                                          std::vector<Path> folders) {
  if (folders.empty()) {
    KINETIC_ASSIGN_OR_RETURN(folders, FindLibraryFolders(fs, runner.elf.machine));
  }
  KINETIC_ASSIGN_OR_RETURN(const SharedLibraries libraries,
                           FindSharedLibraries(fs, runner.bytes, path, {kNetworkLibrary}, folders));
  if (libraries.files.empty()) return std::vector<Entry>{};
  std::vector<Entry> entries = LoaderLinks(libraries.interpreter);
  const std::string loader = Path(libraries.interpreter).filename();
  for (const auto& [name, file] : libraries.files)
    entries.push_back(Entry::FromFile(fmt::format("{}/{}", kLibraries, name), file,
                                      name == loader ? 0755 : 0644));
  return entries;
}

Result<std::vector<Entry>> ProgramEntries(FileSystem& fs, const Program& runner,
                                          const RunnerImageRequest& request) {
  std::vector<Entry> entries;
  KINETIC_ASSIGN_OR_RETURN(entries.emplace_back(),
                           ProgramEntry("kinetic-runner", runner, request.runner));
  KINETIC_ASSIGN_OR_RETURN(const Program launcher, ReadProgram(fs, request.launcher));
  if (!launcher.elf.interpreter.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: requires shared libraries, but must start in images without them",
                            request.launcher.string()),
                "link it statically");
  if (launcher.elf.machine != runner.elf.machine)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: built for a different architecture than {}",
                            request.launcher.string(), request.runner.string()));
  KINETIC_ASSIGN_OR_RETURN(entries.emplace_back(),
                           ProgramEntry("kinetic-launcher", launcher, request.launcher));
  return entries;
}

ImageConfig ConfigOf(std::string architecture) {
  return {.architecture = std::move(architecture),
          .entrypoint = {fmt::format("/{}/kinetic-runner", kPrograms)},
          .environment = {fmt::format("PATH=/{}", kPrograms)},
          .labels = {{"org.opencontainers.image.description",
                      "Stores the log, outputs and result of a kinetic job"},
                     {"org.opencontainers.image.licenses", "Apache-2.0"},
                     {"org.opencontainers.image.title", "kinetic-runner"},
                     {"org.opencontainers.image.version", std::string(Version())}}};
}

}  // namespace

Result<ImageSpec> RunnerImageSpec(FileSystem& fs, const RunnerImageRequest& request,
                                  const std::vector<Path>& library_folders) {
  KINETIC_ASSIGN_OR_RETURN(const Program runner, ReadProgram(fs, request.runner));
  KINETIC_ASSIGN_OR_RETURN(std::string architecture, ArchitectureOf(runner, request.runner));
  KINETIC_ASSIGN_OR_RETURN(std::vector<Entry> base, SystemFiles(fs, request.ca_certificates));
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Entry> libraries,
                           LibraryEntries(fs, runner, request.runner, library_folders));
  base.insert(base.end(), libraries.begin(), libraries.end());
  KINETIC_ASSIGN_OR_RETURN(std::vector<Entry> programs, ProgramEntries(fs, runner, request));
  return ImageSpec{.config = ConfigOf(std::move(architecture)),
                   .layers = {std::move(base), std::move(programs)}};
}

}  // namespace kinetic::oci

namespace kinetic::inline v0 {

Result<WrittenImage> WriteRunnerImage(const RunnerImageRequest& request,
                                      const std::filesystem::path& output, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(oci::Reference name, oci::ParseReference(request.name));
  KINETIC_ASSIGN_OR_RETURN(const oci::ImageSpec image,
                           oci::RunnerImageSpec(PosixFileSystem(), request));
  const oci::ImageBuildOptions options{std::move(name), std::string(Version()),
                                       request.compression};
  return oci::WriteImage(PosixFileSystem(), image, options, output, stop);
}

}  // namespace kinetic::inline v0
