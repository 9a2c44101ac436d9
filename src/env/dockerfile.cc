#include "env/dockerfile.h"

#include "base/digest.h"
#include "base/strings.h"
#include "base/try.h"
#include "env/find_image.h"
#include "env/installer_requirements.h"
#include "env/python.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// What both files begin with.
constexpr std::string_view kOpening = "# Made by kinetic";

/// "docker.io/library/python:3.12-slim": not every engine knows where short names lead.
Result<std::string> FullName(const std::string& base, const std::string& digest) {
  KINETIC_ASSIGN_OR_RETURN(ImageName name, ParseImageName(base));
  name.repository.tag.clear();
  if (!digest.empty()) return name.repository.Text() + "@" + digest;
  const bool by_digest = base.find('@') != std::string::npos;
  return name.repository.Text() + (by_digest ? "@" : ":") + name.manifest;
}

/// Requirements with the indexes that they are from.
class RequirementsWriter {
 public:
  explicit RequirementsWriter(const PrivateUrls& private_urls) : private_urls_(private_urls) {}

  std::string Write(const Lock& lock) {
    const IndexSettings& index = lock.index;
    std::string text = fmt::format("{}: all packages of a job.\n", kOpening);
    if (index.no_index) text += "--no-index\n";
    if (!index.url.empty()) text += "--index-url " + Url(index.url) + "\n";
    for (const auto& url : index.extra_urls) text += "--extra-index-url " + Url(url) + "\n";
    for (const auto& url : index.find_links) text += "--find-links " + Url(url) + "\n";
    for (const auto& host : index.trusted_hosts) text += "--trusted-host " + host + "\n";
    return text + LockedRequirements(lock.packages, private_urls_, variables_);
  }

  const std::map<std::string, std::string>& variables() const { return variables_; }

 private:
  std::string Url(const std::string& shown) {
    const auto full = private_urls_.find(shown);
    if (full == private_urls_.end()) return shown;
    const std::string name = "KINETIC_INDEX_" + std::to_string(count_++);
    variables_[name] = full->second;
    return "${" + name + "}";
  }

  const PrivateUrls& private_urls_;
  std::map<std::string, std::string> variables_;
  int count_ = 0;
};

std::string Opening(const Lock& lock, const DockerfileOptions& options,
                    const std::map<std::string, std::string>& variables) {
  std::string text = fmt::format("{}: the packages of a job, as its lock has them.\n", kOpening);
  if (!options.naming.repository.empty()) {
    text += fmt::format("# Jobs find the image as {}:{}\n", options.naming.repository,
                        ImageTag(lock, options.naming));
  }
  if (variables.empty()) return text;
  std::vector<std::string> names;
  names.reserve(variables.size());
  for (const auto& [name, url] : variables) names.push_back(name);
  return text + fmt::format(
                    "# Build it with --secret id={},src=FILE. The file says NAME='URL' in a line, "
                    "user and password included, for\n# {}\n",
                    kUrlsSecret, Join(names, ", "));
}

/// pip is run by the base's Python: there is to be none in the environment.
std::string Installation(const Lock& lock, const DockerfileOptions& options,
                         const Dockerfile& made) {
  const bool has_secret = !made.secret.empty();
  const std::string python = "python" + MinorVersion(lock.python);
  const std::string& prefix = options.naming.prefix;
  std::string text = fmt::format(
      "RUN --mount=type=bind,source={0},target=/tmp/{0} \\\n"
      "    --mount=type=cache,target=/root/.cache/pip \\\n",
      kContextRequirements);
  if (has_secret) text += fmt::format("    --mount=type=secret,id={} \\\n", kUrlsSecret);
  // buildah and podman take what they have of an equal step, whatever is in a file mounted for it.
  text += fmt::format(
      "    set -e; \\\n"
      "    echo '{2}  /tmp/{3}' | sha256sum -c -; \\\n"
      "    pip=\"{0} -m pip --python {1}/bin/python\"; \\\n"
      "    if ! $pip --version > /dev/null 2>&1; then \\\n"
      "      {0} -m venv /tmp/pip; pip=\"/tmp/pip/bin/$pip\"; \\\n"
      "    fi; \\\n",
      python, prefix, Sha256::Of(made.requirements).Hex(), kContextRequirements);
  if (has_secret) {
    text += fmt::format("    set -a; . /run/secrets/{}; set +a; \\\n", kUrlsSecret);
  }
  text += fmt::format(
      "    $pip install --no-deps --require-hashes --only-binary=:all: \\\n"
      "      --no-input --no-warn-script-location --root-user-action=ignore \\\n"
      "      --disable-pip-version-check --progress-bar=off -r /tmp/{}",
      kContextRequirements);
  // pip shows URLs of packages as they are.
  text += has_secret ? " > /tmp/pip.log 2>&1 || failed=yes; \\\n"
                       "    sed -e 's|//[^/ ]*@|//****@|g' -e 's|?[^ ]*|?****|g' /tmp/pip.log; \\\n"
                     : "; \\\n";
  // Where a package is from may be told with a query that is a credential.
  text += fmt::format(
      "    rm -rf /tmp/pip /tmp/pip.log {1}/lib/{0}/site-packages/*.dist-info/direct_url.json",
      python, prefix);
  return text + (has_secret ? "; \\\n    test -z \"$failed\"\n" : "\n");
}

std::string Settings(std::string_view instruction,
                     const std::map<std::string, std::string>& values) {
  std::vector<std::string> lines;
  lines.reserve(values.size());
  for (const auto& [name, value] : values) lines.push_back(fmt::format("{}=\"{}\"", name, value));
  return fmt::format("{} {}\n", instruction, Join(lines, " \\\n    "));
}

Status CheckIsOurs(FileSystem& fs, const Path& path) {
  constexpr std::uint64_t kMaxBytes = 16U << 20;
  const auto text = ReadFile(fs, path, kMaxBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return {};
  KINETIC_RETURN_IF_ERROR(text);
  if (text->starts_with(kOpening)) return {};
  return Fail(ErrorCode::kAlreadyExists, path.native() + " is there, and kinetic has not made it",
              "name another folder, or move the file away");
}

}  // namespace

Result<Dockerfile> MakeDockerfile(const Lock& lock, const DockerfileOptions& options) {
  KINETIC_ASSIGN_OR_RETURN(const std::string base,
                           FullName(options.naming.base, options.base_digest));
  RequirementsWriter requirements(options.private_urls);
  Dockerfile made;
  made.requirements = requirements.Write(lock);
  for (const auto& [name, url] : requirements.variables()) {
    made.secret += name + "=" + ShellQuote(url) + "\n";
  }
  const bool is_root = options.user.empty() || options.user == "root" || options.user == "0";
  made.text = Opening(lock, options, requirements.variables()) + "FROM " + base + "\n";
  if (!is_root) made.text += "USER root\n";
  made.text += fmt::format("RUN python{} -m venv --without-pip {}\n", MinorVersion(lock.python),
                           options.naming.prefix);
  if (!lock.packages.empty()) made.text += Installation(lock, options, made);
  if (!is_root) made.text += "USER " + options.user + "\n";
  made.text += Settings("ENV", ImageVariables(options.naming, "$PATH"));
  made.text += Settings("LABEL", ImageLabels(lock, options.naming, options.base_digest));
  return made;
}

Status WriteContext(FileSystem& fs, const Dockerfile& dockerfile, const Path& folder) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder));
  const Path file = folder / kContextDockerfile;
  const Path requirements = folder / kContextRequirements;
  KINETIC_RETURN_IF_ERROR(CheckIsOurs(fs, file));
  KINETIC_RETURN_IF_ERROR(CheckIsOurs(fs, requirements));
  KINETIC_RETURN_IF_ERROR(WriteFileAtomically(fs, requirements, dockerfile.requirements));
  return WriteFileAtomically(fs, file, dockerfile.text);
}

}  // namespace kinetic::env
