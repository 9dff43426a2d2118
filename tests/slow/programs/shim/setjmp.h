/*
 * setjmp(3) by WebAssembly exceptions, which this libc has not: clang's `-wasm-enable-sjlj` turns its uses into calls of
 * what sjlj.c defines.
 */
#pragma once

typedef struct {
  void *frame;
  unsigned label;
  struct {
    void *environment;
    int value;
  } thrown;
} jmp_buf[1];

int setjmp(jmp_buf) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf, int);
