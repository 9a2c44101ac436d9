#include "settings/environment.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <system_error>

namespace kinetic::cli {

const std::string& Surroundings::Variable(const std::string& name) const {
  static const std::string kNone;
  const auto found = environment.find(name);
  return found == environment.end() ? kNone : found->second;
}

Surroundings ReadSurroundings() {
  Surroundings here;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      here.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code ignored;
  here.directory = std::filesystem::current_path(ignored);
  here.executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  here.home = here.Variable("HOME");
  here.user = here.Variable("USER");
  std::array<char, 4096> buffer{};
  passwd record{};
  passwd* found = nullptr;
  if ((here.home.empty() || here.user.empty()) &&
      ::getpwuid_r(::getuid(), &record, buffer.data(), buffer.size(), &found) == 0 && found) {
    if (here.home.empty()) here.home = found->pw_dir;
    if (here.user.empty()) here.user = found->pw_name;
  }
  here.terminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0 &&
                  ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (::gethostname(buffer.data(), buffer.size() - 1) == 0) here.host = buffer.data();
  return here;
}

}  // namespace kinetic::cli
