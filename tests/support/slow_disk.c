/* Preloaded into a program, delays each write to a regular file and each fsync by 5 ms. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

static void wait_for_disk(int fd) {
  const struct timespec delay = {0, 5 * 1000 * 1000};
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) nanosleep(&delay, NULL);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  wait_for_disk(fd);
  return NEXT("write", ssize_t(*)(int, const void*, size_t))(fd, bytes, size);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  wait_for_disk(fd);
  return NEXT("pwrite", ssize_t(*)(int, const void*, size_t, off_t))(fd, bytes, size, offset);
}

int fsync(int fd) {
  wait_for_disk(fd);
  return NEXT("fsync", int (*)(int))(fd);
}
