/* Preloaded into a program, ends it by SIGKILL at its Nth operation that changes a file, or counts them.
 *
 *   KILL_AT_PROGRAM   the last part of the program's path; others are left alone
 *   KILL_AT           the operation to die before, from 1; absent: none
 *   KILL_AT_COUNT     a file to which each operation adds one byte, so that a test knows how many there are
 *
 * Only sees calls through the C library, which is how the project makes all of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long done;
static long kill_at = -1;
static int count_fd = -1;

__attribute__((constructor)) static void start(void) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  const char* wanted = getenv("KILL_AT_PROGRAM");
  if (length <= 0 || wanted == NULL) return;
  path[length] = '\0';
  const char* name = strrchr(path, '/');
  if (strcmp(name == NULL ? path : name + 1, wanted) != 0) return;
  const char* at = getenv("KILL_AT");
  const char* count = getenv("KILL_AT_COUNT");
  if (count != NULL) count_fd = open(count, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  kill_at = at != NULL ? atol(at) : 0;
}

static ssize_t real_write(int fd, const void* bytes, size_t size) {
  static ssize_t (*next)(int, const void*, size_t);
  if (next == NULL) next = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  return next(fd, bytes, size);
}

static void step(void) {
  if (kill_at < 0) return;
  if (count_fd >= 0) (void)!real_write(count_fd, ".", 1);
  if (atomic_fetch_add(&done, 1) + 1 == kill_at) kill(getpid(), SIGKILL);
}

static int is_file(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  if (is_file(fd)) step();
  return real_write(fd, bytes, size);
}

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  step();
  return NEXT("pwrite", ssize_t(*)(int, const void*, size_t, off_t))(fd, bytes, size, offset);
}

int fsync(int fd) {
  step();
  return NEXT("fsync", int (*)(int))(fd);
}

int rename(const char* from, const char* to) {
  step();
  return NEXT("rename", int (*)(const char*, const char*))(from, to);
}

int link(const char* from, const char* to) {
  step();
  return NEXT("link", int (*)(const char*, const char*))(from, to);
}

int unlink(const char* path) {
  step();
  return NEXT("unlink", int (*)(const char*))(path);
}

int mkdir(const char* path, mode_t mode) {
  step();
  return NEXT("mkdir", int (*)(const char*, mode_t))(path, mode);
}

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
    step();
  }
  return NEXT("open", int (*)(const char*, int, ...))(path, flags, mode);
}
