/*
 * The stages of the pipelines that are measured, as one program: native and WASM alike.
 *
 *   stage gen BYTES SIZE    writes so many bytes, so many at a time
 *   stage relay SIZE        copies 0 to 1, reading at most so many bytes at a time
 *   stage count SIZE        reads to the end, and says how many bytes there were
 *   stage echo TEXT         writes a line
 *   stage ping TURNS        writes a byte to 1, and waits for one from 0
 *   stage pong              the other way round, until the end
 *   stage true              nothing
 *   stage wait              reads one byte
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char piece[65536];

static int put(const char *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    ssize_t count = write(1, bytes + at, length - at);
    if (count < 0) return 1;
    at += (size_t)count;
  }
  return 0;
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "true";
  if (strcmp(what, "gen") == 0) {
    long left = atol(arguments[2]);
    size_t size = (size_t)atol(arguments[3]);
    memset(piece, 'x', sizeof piece);
    for (; left > 0; left -= (long)size) {
      size_t now = (size_t)left < size ? (size_t)left : size;
      if (put(piece, now)) return 1;
    }
  } else if (strcmp(what, "relay") == 0) {
    size_t size = count > 2 ? (size_t)atol(arguments[2]) : sizeof piece;
    for (ssize_t got; (got = read(0, piece, size)) > 0;) {
      if (put(piece, (size_t)got)) return 1;
    }
  } else if (strcmp(what, "count") == 0) {
    size_t size = count > 2 ? (size_t)atol(arguments[2]) : sizeof piece;
    long total = 0;
    for (ssize_t got; (got = read(0, piece, size)) > 0;) total += got;
    char line[32];
    return put(line, (size_t)snprintf(line, sizeof line, "%ld\n", total));
  } else if (strcmp(what, "echo") == 0) {
    char line[256];
    return put(line, (size_t)snprintf(line, sizeof line, "%s\n", arguments[2]));
  } else if (strcmp(what, "ping") == 0) {
    for (long turn = atol(arguments[2]); turn > 0; turn--) {
      if (put("x", 1) || read(0, piece, 1) != 1) return 1;
    }
  } else if (strcmp(what, "pong") == 0) {
    while (read(0, piece, 1) == 1) {
      if (put("x", 1)) return 1;
    }
  } else if (strcmp(what, "wait") == 0) {
    if (read(0, piece, 1) < 0) return 1;
  }
  return 0;
}
