/** A compiler in the kernel, and what it compiled. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { output, run, withPrograms } from "./support.ts"

/** What the driver of clang would start, which WASI cannot: the compiler, and the linker. */
const compiler = `cc() {
  llvm clang -cc1 -triple wasm32-unknown-wasip1 -emit-obj -O2 -main-file-name "$1" -resource-dir /usr/share/llvm \\
    -internal-isystem /usr/share/llvm/include/wasm32-wasip1 -internal-isystem /usr/share/llvm/include \\
    -o "\${1%.c}.o" -x c "$1"
}
link() {
  local program=$1 lib=/usr/share/llvm/lib; shift
  llvm wasm-ld -o "$program" $lib/wasm32-wasip1/crt1-command.o "$@" -L$lib/wasm32-wasip1 -lc \\
    $lib/wasm32-unknown-wasip1/libclang_rt.builtins.a && chmod +x "$program"
}
`

const sum = `#include <stdio.h>
#include <stdlib.h>
#include "twice.h"
int main(int count, char **arguments) {
  char line[80];
  long total = 0;
  while (fgets(line, sizeof line, stdin) != NULL) total += twice(atoi(line));
  printf("%s: %ld\\n", count > 1 ? arguments[1] : "sum", total);
  fprintf(stderr, "counted\\n");
  return 3;
}
`

it.live(
  "clang compiles and links a C program of two files, which then runs in a pipeline",
  () =>
    withPrograms(["llvm", "awk"], (sandbox) =>
      Effect.gen(function* () {
        yield* sandbox.writeFile("sum.c", sum)
        yield* sandbox.writeFile("twice.h", "int twice(int);\n")
        yield* sandbox.writeFile(
          "twice.c",
          `#include "twice.h"\nint twice(int number) { return 2 * number; }\n`,
        )
        yield* output(
          sandbox,
          `${compiler} cc sum.c && cc twice.c && mkdir -p bin && link bin/sum sum.o twice.o`,
        )
        const { stderr, stdout } = yield* run(
          sandbox,
          "seq 1000 | ./bin/sum total | awk '{ print $2 / 1000 }'; echo ${PIPESTATUS[@]}; PATH=$PWD/bin:$PATH; sum </dev/null",
        )
        expect(stdout).toBe("1001\n0 3 0\nsum: 0\n")
        expect(stderr).toBe("counted\ncounted\n")
        // The same program once more, compiled by the host from the bytes that came out.
        const bytes = yield* sandbox.readFile("bin/sum")
        expect(WebAssembly.validate(new Uint8Array(bytes))).toBe(true)
      })),
  240_000,
)

it.live(
  "clang says where a program is wrong, and ends with 1",
  () =>
    withPrograms(["llvm"], (sandbox) =>
      Effect.gen(function* () {
        yield* sandbox.writeFile(
          "wrong.c",
          "int main() {\n  return none;\n}\n",
        )
        const { exitCode, stderr } = yield* run(
          sandbox,
          `${compiler} cc wrong.c`,
        )
        expect(exitCode).toBe(1)
        expect(stderr).toContain(
          "wrong.c:2:10: error: use of undeclared identifier 'none'",
        )
        expect((yield* run(sandbox, "ls")).stdout).toBe("wrong.c\n")
      })),
  240_000,
)
