/* How pclose and system of libc.c tell an exit code. */
#pragma once

#define WIFEXITED(status) (((status)&0x7f) == 0)
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WIFSIGNALED(status) (!WIFEXITED(status))
#define WTERMSIG(status) ((status)&0x7f)
#define WCOREDUMP(status) ((void)(status), 0)
