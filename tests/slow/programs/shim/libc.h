/* What WASI's libc leaves out and programs use all the same: see libc.c. Included before everything else. */
#pragma once
#include <stdio.h>

#define L_tmpnam 32

FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
int system(const char *command);
char *tmpnam(char *name);
FILE *tmpfile(void);
int mkstemp(char *template);
char *realpath(const char *path, char *resolved);
