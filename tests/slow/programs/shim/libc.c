/*
 * popen(3) and system(3) by the imports of the `codepod` namespace, so that interpreters start other programs of the
 * sandbox, as they do elsewhere; and a few functions about files.
 */
#include "libc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODEPOD(name) __attribute__((import_module("codepod"), import_name(#name)))

CODEPOD(host_pipe) int host_pipe(char *out, int capacity);
CODEPOD(host_spawn) int host_spawn(const char *request, int length);
CODEPOD(host_waitpid) int host_waitpid(int pid, char *out, int capacity);
CODEPOD(host_close_fd) int host_close_fd(int fd);

extern char **environ;

static int field(const char *json, const char *name) {
  const char *at = strstr(json, name);
  return at == NULL ? -1 : atoi(at + strlen(name));
}

/* Text within JSON: one byte is at most six. */
static char *quoted(char *out, const char *text) {
  *out++ = '"';
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20) out += sprintf(out, "\\u%04x", *text);
    else *out++ = *text;
  }
  *out++ = '"';
  return out;
}

/* Starts `sh -c command` with these as its input and output. */
static int start(const char *command, int input, int output) {
  size_t size = 256 + 6 * strlen(command);
  for (char **variable = environ; *variable != NULL; variable++) size += 16 + 6 * strlen(*variable);
  char *request = malloc(size);
  if (request == NULL) return -1;
  char *at = request + sprintf(request, "{\"prog\":\"sh\",\"args\":[\"-c\",");
  at = quoted(at, command);
  at += sprintf(at, "],\"stdin_fd\":%d,\"stdout_fd\":%d,\"stderr_fd\":2,\"env\":[", input, output);
  for (char **variable = environ; *variable != NULL; variable++) {
    char *equals = strchr(*variable, '=');
    if (equals == NULL) continue;
    char *name = strndup(*variable, equals - *variable);
    at += sprintf(at, "%s[", at[-1] == ']' ? "," : "");
    at = quoted(at, name);
    *at++ = ',';
    at = quoted(at, equals + 1);
    *at++ = ']';
    free(name);
  }
  at += sprintf(at, "]}");
  int pid = host_spawn(request, at - request);
  free(request);
  if (pid < 0) errno = EAGAIN;
  return pid;
}

/* As wait(2) would tell it. */
static int ended(int pid) {
  char answer[64];
  int size = host_waitpid(pid, answer, sizeof answer - 1);
  if (size < 0 || size >= (int)sizeof answer) {
    errno = ECHILD;
    return -1;
  }
  answer[size] = '\0';
  return field(answer, "\"exit_code\":") << 8;
}

static struct {
  FILE *stream;
  int pid;
} opened[64];

FILE *popen(const char *command, const char *mode) {
  int slot = 0;
  while (slot < 64 && opened[slot].stream != NULL) slot++;
  char answer[64];
  int size = slot < 64 ? host_pipe(answer, sizeof answer - 1) : -1;
  if (size < 0 || size >= (int)sizeof answer) {
    errno = EMFILE;
    return NULL;
  }
  answer[size] = '\0';
  int read_fd = field(answer, "\"read_fd\":"), write_fd = field(answer, "\"write_fd\":");
  int reads = mode[0] == 'r';
  int mine = reads ? read_fd : write_fd, theirs = reads ? write_fd : read_fd;
  int pid = reads ? start(command, 0, theirs) : start(command, theirs, 1);
  host_close_fd(theirs);
  FILE *stream = pid < 0 ? NULL : fdopen(mine, reads ? "r" : "w");
  if (stream == NULL) {
    host_close_fd(mine);
    return NULL;
  }
  opened[slot].stream = stream;
  opened[slot].pid = pid;
  return stream;
}

int pclose(FILE *stream) {
  for (int slot = 0; slot < 64; slot++) {
    if (opened[slot].stream != stream) continue;
    opened[slot].stream = NULL;
    fclose(stream);
    return ended(opened[slot].pid);
  }
  errno = EBADF;
  return -1;
}

int system(const char *command) {
  if (command == NULL) return 1;
  fflush(NULL);
  int pid = start(command, 0, 1);
  return pid < 0 ? -1 : ended(pid);
}

char *tmpnam(char *name) {
  static char own[32];
  unsigned chance;
  if (getentropy(&chance, sizeof chance) != 0) return NULL;
  sprintf(name = name == NULL ? own : name, "/tmp/t%08x", chance);
  return name;
}

FILE *tmpfile(void) {
  char name[32];
  FILE *file = tmpnam(name) == NULL ? NULL : fopen(name, "w+x");
  if (file != NULL) unlink(name);
  return file;
}

int mkstemp(char *template) {
  unsigned chance;
  if (getentropy(&chance, sizeof chance) != 0) return -1;
  sprintf(template + strlen(template) - 6, "%06x", chance & 0xffffff);
  return open(template, O_RDWR | O_CREAT | O_EXCL, 0600);
}

/* Whether it is there; links stay as they are. */
char *realpath(const char *path, char *resolved) {
  struct stat found;
  if (stat(path, &found) != 0) return NULL;
  return resolved == NULL ? strdup(path) : strcpy(resolved, path);
}
