#include "integration/tool_process.h"

#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <utility>

extern char** environ;

namespace kinetic::test {

ToolProcess::ToolProcess(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{GCS_TOOL};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (::posix_spawn(&pid_, GCS_TOOL, nullptr, nullptr, argv.data(), environ) != 0) pid_ = -1;
}

bool ToolProcess::Ended() {
  if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

int ToolProcess::Wait() {
  if (pid_ > 0) ::waitpid(std::exchange(pid_, -1), &status_, 0);
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void ToolProcess::Kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  Wait();
}

}  // namespace kinetic::test
