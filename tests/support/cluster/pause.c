/* Holds the namespaces of a pod: sleeps and reaps orphaned processes. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void Reap(int signal) {
  (void)signal;
  while (waitpid(-1, 0, WNOHANG) > 0) {
  }
}

static void End(int signal) {
  (void)signal;
  _exit(0);
}

int main(void) {
  signal(SIGCHLD, Reap);
  signal(SIGINT, End);
  signal(SIGTERM, End);
  for (;;) pause();
}
