/*
 * What clang's `-wasm-enable-sjlj` calls: as wasi-libc has it from 2024 on.
 *
 * Source: https://github.com/WebAssembly/tool-conventions/blob/main/SetjmpLongjmp.md
 */
#include "setjmp.h"

/* Where setjmp was called: the invocation of the function, and which of its calls. */
void __wasm_setjmp(void *environment, unsigned label, void *frame) {
  jmp_buf *buffer = environment;
  (*buffer)->frame = frame;
  (*buffer)->label = label;
}

/* Which call of setjmp in this invocation is meant; 0 when it is another's. */
unsigned __wasm_setjmp_test(void *environment, void *frame) {
  jmp_buf *buffer = environment;
  return (*buffer)->frame == frame ? (*buffer)->label : 0;
}

void __wasm_longjmp(void *environment, int value) {
  jmp_buf *buffer = environment;
  (*buffer)->thrown.environment = environment;
  (*buffer)->thrown.value = value == 0 ? 1 : value;
  __builtin_wasm_throw(1, &(*buffer)->thrown);
}
