/* Preloaded into a program, injects faults: SIGKILL, a full disk, a failing device, too many open
 * files, interrupted calls, short transfers, a wrong clock.
 *
 *   FAULT_PROGRAM  prefix of the program's file name; other programs are not affected
 *   FAULT_KIND     kill ENOSPC EIO EROFS EMFILE: at one operation; EINTR short: at every second one
 *   FAULT_AT       number of the operation, from 1; none if absent
 *   FAULT_TIMES    number of consecutive failures, by default 1
 *   FAULT_COUNT    file to which each operation appends one byte
 *   FAULT_CLOCK    seconds by which the wall clock is ahead; the steady clock is correct
 *
 * The kind decides which calls are operations: those that change a file for kill, ENOSPC and EROFS;
 * also reads for EIO; those that create a descriptor for EMFILE; interruptible ones otherwise. Only
 * calls of the C library are seen. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum class_of_call { CHANGE = 1, READ = 2, DESCRIPTOR = 4, WAITING = 8 };

static int faulty; /* affected classes of calls; 0: none */
static int error_number;
static int cuts_short;
static atomic_long done;
static long fault_at;
static long fault_times = 1;
static int count_fd = -1;
static long clock_ahead;
static atomic_uint threads;
static __thread unsigned chance;

/* Looked up at the start, because a child must not do so between fork and exec. */
#define CALLS(X)                                                                                  \
  X(write)                                                                                        \
  X(pwrite)                                                                                       \
  X(read) X(pread) X(fsync) X(ftruncate) X(rename) X(link) X(symlink) X(unlink) X(rmdir) X(mkdir) \
      X(chmod) X(renameat) X(linkat) X(symlinkat) X(unlinkat) X(mkdirat) X(fchmodat) X(utimensat) \
          X(opendir) X(pipe2) X(socketpair) X(eventfd) X(inotify_init1) X(openat) X(openat64)     \
              X(flock) X(poll) X(waitpid) X(clock_gettime) X(gettimeofday) X(open) X(open64)
enum call {
#define X(name) k_##name,
  CALLS(X)
#undef X
      kCalls
};
static void* found[kCalls];

static void* real(enum call call) {
  static const char* const names[] = {
#define X(name) #name,
      CALLS(X)
#undef X
  };
  if (found[call] == NULL) found[call] = dlsym(RTLD_NEXT, names[call]);
  return found[call];
}
#define REAL(name, type) ((type)real(k_##name))

static void choose(const char* fault) {
  static const struct {
    const char* name;
    int error_number, classes;
  } faults[] = {{"kill", 0, CHANGE},
                {"ENOSPC", ENOSPC, CHANGE},
                {"EROFS", EROFS, CHANGE},
                {"EIO", EIO, CHANGE | READ},
                {"EMFILE", EMFILE, DESCRIPTOR},
                {"EINTR", EINTR, CHANGE | READ | WAITING},
                {"short", 0, CHANGE | READ}};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
    if (strcmp(fault, faults[i].name) != 0) continue;
    error_number = faults[i].error_number;
    faulty = faults[i].classes;
  }
  cuts_short = strcmp(fault, "short") == 0;
}

__attribute__((constructor)) static void start(void) {
  for (int call = 0; call < kCalls; ++call) (void)real((enum call)call);
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  const char* wanted = getenv("FAULT_PROGRAM");
  if (length <= 0 || wanted == NULL) return;
  path[length] = '\0';
  const char* slash = strrchr(path, '/');
  const char* name = slash == NULL ? path : slash + 1;
  if (strncmp(name, wanted, strlen(wanted)) != 0) return;
  /* "kinetic" is not "kinetic-runner"; "python3" is "python3.12" */
  if (name[strlen(wanted)] == '-') return;
  const char* ahead = getenv("FAULT_CLOCK");
  if (ahead != NULL) clock_ahead = atol(ahead);
  const char* at = getenv("FAULT_AT");
  const char* times = getenv("FAULT_TIMES");
  const char* count = getenv("FAULT_COUNT");
  const char* fault = getenv("FAULT_KIND");
  if (fault == NULL) return;
  if (count != NULL) count_fd = open(count, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  fault_at = at != NULL ? atol(at) : 0;
  if (times != NULL) fault_times = atol(times);
  choose(fault);
}

static ssize_t real_write(int fd, const void* bytes, size_t size) {
  return REAL(write, ssize_t(*)(int, const void*, size_t))(fd, bytes, size);
}

/* Returns whether the call must fail. Sets errno, or does not return. */
static int fails(int classes) {
  if ((faulty & classes) == 0 || cuts_short) return 0;
  if (error_number == EINTR) {
    if (chance == 0) chance = (unsigned)fault_at * 2654435761U + atomic_fetch_add(&threads, 1) + 1;
    chance = chance * 1103515245 + 12345; /* by turns, a loop of two calls would not get on */
    errno = EINTR;
    return (chance >> 16) % 2;
  }
  long number = atomic_fetch_add(&done, 1) + 1;
  if (count_fd >= 0 && real_write(count_fd, ".", 1) == 1) number = lseek(count_fd, 0, SEEK_CUR);
  if (fault_at == 0 || number < fault_at || number - fault_at >= fault_times) return 0;
  if (error_number == 0) kill(getpid(), SIGKILL);
  errno = error_number;
  return 1;
}

static size_t cut(size_t size) { return cuts_short && size > 1 ? (size + 1) / 2 : size; }

static int is_file(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  if (faulty == 0 || !is_file(fd)) return real_write(fd, bytes, size);
  return fails(CHANGE) ? -1 : real_write(fd, bytes, cut(size));
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  if (fails(CHANGE)) return -1;
  return REAL(pwrite, ssize_t(*)(int, const void*, size_t, off_t))(fd, bytes, cut(size), offset);
}

ssize_t read(int fd, void* bytes, size_t size) {
  ssize_t (*next)(int, void*, size_t) = REAL(read, ssize_t(*)(int, void*, size_t));
  if (faulty == 0) return next(fd, bytes, size);
  const int file = is_file(fd);
  if (fails(file ? READ : WAITING)) return -1;
  return next(fd, bytes, file ? cut(size) : size);
}

ssize_t pread(int fd, void* bytes, size_t size, off_t offset) {
  if (fails(READ)) return -1;
  return REAL(pread, ssize_t(*)(int, void*, size_t, off_t))(fd, bytes, cut(size), offset);
}

/* Calls that change a file but cannot be interrupted. */
static int change_fails(void) { return error_number == EINTR ? 0 : fails(CHANGE); }

int fsync(int fd) { return fails(CHANGE) ? -1 : REAL(fsync, int (*)(int))(fd); }

int ftruncate(int fd, off_t size) {
  return fails(CHANGE) ? -1 : REAL(ftruncate, int (*)(int, off_t))(fd, size);
}

int rename(const char* from, const char* to) {
  return change_fails() ? -1 : REAL(rename, int (*)(const char*, const char*))(from, to);
}

int link(const char* from, const char* to) {
  return change_fails() ? -1 : REAL(link, int (*)(const char*, const char*))(from, to);
}

int symlink(const char* target, const char* path) {
  return change_fails() ? -1 : REAL(symlink, int (*)(const char*, const char*))(target, path);
}

int unlink(const char* path) {
  /* Removal succeeds on a full disk. */
  if (error_number != ENOSPC && change_fails()) return -1;
  return REAL(unlink, int (*)(const char*))(path);
}

int rmdir(const char* path) {
  if (error_number != ENOSPC && change_fails()) return -1;
  return REAL(rmdir, int (*)(const char*))(path);
}

int mkdir(const char* path, mode_t mode) {
  return change_fails() ? -1 : REAL(mkdir, int (*)(const char*, mode_t))(path, mode);
}

int chmod(const char* path, mode_t mode) {
  return change_fails() ? -1 : REAL(chmod, int (*)(const char*, mode_t))(path, mode);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  if (change_fails()) return -1;
  return REAL(renameat, int (*)(int, const char*, int, const char*))(from_folder, from, to_folder,
                                                                     to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (change_fails()) return -1;
  return REAL(linkat, int (*)(int, const char*, int, const char*, int))(from_folder, from,
                                                                        to_folder, to, flags);
}

int symlinkat(const char* target, int folder, const char* path) {
  if (change_fails()) return -1;
  return REAL(symlinkat, int (*)(const char*, int, const char*))(target, folder, path);
}

int unlinkat(int folder, const char* path, int flags) {
  if (error_number != ENOSPC && change_fails()) return -1;
  return REAL(unlinkat, int (*)(int, const char*, int))(folder, path, flags);
}

int mkdirat(int folder, const char* path, mode_t mode) {
  if (change_fails()) return -1;
  return REAL(mkdirat, int (*)(int, const char*, mode_t))(folder, path, mode);
}

int fchmodat(int folder, const char* path, mode_t mode, int flags) {
  if (change_fails()) return -1;
  return REAL(fchmodat, int (*)(int, const char*, mode_t, int))(folder, path, mode, flags);
}

int utimensat(int folder, const char* path, const struct timespec times[2], int flags) {
  if (change_fails()) return -1;
  return REAL(utimensat, int (*)(int, const char*, const struct timespec*, int))(folder, path,
                                                                                 times, flags);
}

static int open_fails(const char* path, int flags) {
  /* Calls that never block. */
  if (error_number == EINTR &&
      ((flags & O_PATH) != 0 || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0))
    return 0;
  const int makes = (flags & (O_CREAT | O_TRUNC)) != 0;
  const int reads = (flags & (O_PATH | O_DIRECTORY)) == 0;
  return fails((makes ? CHANGE : reads ? READ : 0) | DESCRIPTOR);
}

#define MODE_OF(flags)                        \
  mode_t mode = 0;                            \
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) { \
    va_list arguments;                        \
    va_start(arguments, flags);               \
    mode = va_arg(arguments, mode_t);         \
    va_end(arguments);                        \
  }                                           \
  if (open_fails(path, flags)) return -1

#define OPEN(name)                                                        \
  int name(const char* path, int flags, ...) {                            \
    MODE_OF(flags);                                                       \
    return REAL(name, int (*)(const char*, int, ...))(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                   \
  int name(int folder, const char* path, int flags, ...) {                             \
    MODE_OF(flags);                                                                    \
    return REAL(name, int (*)(int, const char*, int, ...))(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

DIR* opendir(const char* path) {
  return fails(DESCRIPTOR) ? NULL : REAL(opendir, DIR * (*)(const char*))(path);
}

int pipe2(int fds[2], int flags) {
  return fails(DESCRIPTOR) ? -1 : REAL(pipe2, int (*)(int*, int))(fds, flags);
}

int socketpair(int domain, int type, int protocol, int fds[2]) {
  return fails(DESCRIPTOR)
             ? -1
             : REAL(socketpair, int (*)(int, int, int, int*))(domain, type, protocol, fds);
}

int eventfd(unsigned count, int flags) {
  return fails(DESCRIPTOR) ? -1 : REAL(eventfd, int (*)(unsigned, int))(count, flags);
}

int inotify_init1(int flags) {
  return fails(DESCRIPTOR) ? -1 : REAL(inotify_init1, int (*)(int))(flags);
}

int flock(int fd, int operation) {
  return fails(WAITING) ? -1 : REAL(flock, int (*)(int, int))(fd, operation);
}

int poll(struct pollfd* fds, nfds_t count, int milliseconds) {
  return fails(WAITING)
             ? -1
             : REAL(poll, int (*)(struct pollfd*, nfds_t, int))(fds, count, milliseconds);
}

pid_t waitpid(pid_t process, int* status, int options) {
  return fails(WAITING) ? -1 : REAL(waitpid, pid_t(*)(pid_t, int*, int))(process, status, options);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int result = REAL(clock_gettime, int (*)(clockid_t, struct timespec*))(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += clock_ahead;
  return result;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  const int result = REAL(gettimeofday, int (*)(struct timeval*, void*))(time, zone);
  if (result == 0) time->tv_sec += clock_ahead;
  return result;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
