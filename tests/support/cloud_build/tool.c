/* The program of build steps in an image without other files: tool WORDS SECONDS CODE. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 4) return 99;
  puts(argv[1]);
  fflush(stdout);
  sleep((unsigned)atoi(argv[2]));
  return atoi(argv[3]);
}
