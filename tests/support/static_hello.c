/* A program that needs nothing: says what it was given, and ends with 5. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const char* preload = getenv("LD_PRELOAD");
  const char* home = getenv("HOME");
  printf("%s with %d words, LD_PRELOAD=%s, HOME %s\n", argv[0], argc, preload ? preload : "-",
         home ? "is there" : "is not there");
  return 5;
}
