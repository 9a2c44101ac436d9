/* A static program that prints its argument count and environment and exits with 5. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const char* preload = getenv("LD_PRELOAD");
  const char* home = getenv("HOME");
  printf("%s with %d words, LD_PRELOAD=%s, HOME %s\n", argv[0], argc, preload ? preload : "-",
         home ? "is there" : "is not there");
  return 5;
}
