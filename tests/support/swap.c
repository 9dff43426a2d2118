/* Exchanges two names in a tight loop, until stdin ends, and prints how often: swap A B. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct pollfd end = {0, POLLIN, 0};
  long count = 0;
  if (argc != 3) return 2;
  do {
    for (int i = 0; i < 256; i++) {
      if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) != 0) {
        perror("swap");
        return 1;
      }
      count++;
    }
  } while (poll(&end, 1, 0) == 0);
  printf("%ld\n", count);
  return 0;
}
