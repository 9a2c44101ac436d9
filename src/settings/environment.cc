#include "settings/sources.h"

#include <dlfcn.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <system_error>

namespace kinetic::settings {
namespace {

/// Returns the shared library, or the program, that contains this function.
std::filesystem::path LibraryFile(const ProcessEnvironment& process) {
  Dl_info found{};
  const auto here = reinterpret_cast<const void*>(&ReadProcessEnvironment);
  if (::dladdr(here, &found) == 0 || found.dli_fname == nullptr) return process.executable;
  std::error_code failed;
  const auto file = std::filesystem::canonical(process.directory / found.dli_fname, failed);
  return failed ? process.executable : file;  // a program is named as it was started
}

}  // namespace

const std::string& ProcessEnvironment::Variable(const std::string& name) const {
  static const std::string kNone;
  const auto found = variables.find(name);
  return found == variables.end() ? kNone : found->second;
}

ProcessEnvironment ReadProcessEnvironment() {
  ProcessEnvironment process;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      process.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code ignored;
  process.directory = std::filesystem::current_path(ignored);
  process.executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  process.library = LibraryFile(process);
  process.home = process.Variable("HOME");
  process.user = process.Variable("USER");
  std::array<char, 4096> buffer{};
  passwd record{};
  passwd* found = nullptr;
  if ((process.home.empty() || process.user.empty()) &&
      ::getpwuid_r(::getuid(), &record, buffer.data(), buffer.size(), &found) == 0 && found) {
    if (process.home.empty()) process.home = found->pw_dir;
    if (process.user.empty()) process.user = found->pw_name;
  }
  process.terminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0 &&
                     ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (::gethostname(buffer.data(), buffer.size() - 1) == 0) process.host = buffer.data();
  return process;
}

}  // namespace kinetic::settings
