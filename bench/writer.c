/* writer BYTES: lines of 60 bytes to stdout, from one small block, as fast as the pipe takes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { line = 60, lines = 4096 };
static char block[line * lines + 1];

int main(int argc, char **argv) {
  long left = argc > 1 ? atol(argv[1]) : 0;
  for (int i = 0; i < lines; i++) {
    char *at = block + i * line;
    memset(at, '.', line);
    int n = snprintf(at, line, "%09d the quick brown fox jumps over the lazy dog ", i);
    at[n] = '.';
    at[line - 1] = '\n';
  }
  size_t offset = 0;
  while (left > 0) {
    size_t want = sizeof block - 1 - offset;
    if ((long)want > left) want = left;
    ssize_t wrote = write(1, block + offset, want);
    if (wrote < 0) return 1;
    left -= wrote;
    offset = (offset + wrote) % (sizeof block - 1);
  }
  return 0;
}
