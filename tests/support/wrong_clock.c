/* Preloaded into a program, gives it a wrong date: KINETIC_WRONG_CLOCK=MIN:MAX:SECONDS draws the difference to the real
 * one, in hours, from MIN to MAX, and draws it again every so many seconds (0: never). Steady clocks are right. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int (*read_clock)(clockid_t, struct timespec*);

static int real_clock(clockid_t clock, struct timespec* time) {
  return ((read_clock)dlsym(RTLD_NEXT, "clock_gettime"))(clock, time);
}

static long difference(void) {
  long min = 0, max = 0, period = 0;
  const char* setting = getenv("KINETIC_WRONG_CLOCK");
  if (setting == NULL || sscanf(setting, "%ld:%ld:%ld", &min, &max, &period) != 3 || max < min) return 0;
  struct timespec steady;
  real_clock(CLOCK_MONOTONIC, &steady);
  unsigned long mixed = period > 0 ? (unsigned long)(steady.tv_sec / period) : (unsigned long)(min ^ max);
  mixed = (mixed + 1) * 0x9E3779B97F4A7C15UL;
  mixed ^= mixed >> 29;
  return (min + (long)(mixed % (unsigned long)(max - min + 1))) * 3600;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int result = real_clock(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += difference();
  return result;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
