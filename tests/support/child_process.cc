#include "support/child_process.h"

#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <utility>

extern char** environ;

namespace kinetic::test {

ChildProcess::ChildProcess(std::vector<std::string> argv) {
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  if (::posix_spawn(&pid_, words.front(), nullptr, nullptr, words.data(), environ) != 0) pid_ = -1;
}

bool ChildProcess::Ended() {
  if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

int ChildProcess::Wait() {
  if (pid_ > 0) ::waitpid(std::exchange(pid_, -1), &status_, 0);
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void ChildProcess::Kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  Wait();
}

}  // namespace kinetic::test
