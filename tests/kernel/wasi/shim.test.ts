/** Compares the output of the same C programs in the kernel and under `@bjorn3/browser_wasi_shim`. */
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim"
import { describe, expect, it } from "@effect/vitest"
import { canCompileC, compileC, runKernel } from "../../support/wasi.ts"

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Runs a program under the shim, with an empty folder as its `/`. */
const runShim = async (program: string, stdin: string): Promise<string> => {
  const parts: Array<number> = []
  const wasi = new WASI(["program"], [], [
    new OpenFile(new File(new TextEncoder().encode(stdin))),
    new ConsoleStdout((bytes) => void parts.push(...bytes)),
    new ConsoleStdout(() => {}),
    new PreopenDirectory("/", new Map()),
  ])
  const module = await WebAssembly.compile(await compileC(program))
  const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })
  const { _start, memory } = exports
  if (!(memory instanceof WebAssembly.Memory) || typeof _start !== "function") throw new Error("it is no program")
  wasi.start({ exports: { memory, _start: () => void _start() } })
  return text(Uint8Array.from(parts))
}

/** Lines that only the kernel prints, by program. */
const cases: Readonly<Record<string, ReadonlyArray<string>>> = {
  lines: [],
  chance: [],
  // It knows no access modes and no flags to set, and opens folders to write.
  files: [
    "fcntl(fd, F_GETFL) & O_ACCMODE: 335544320",
    "fcntl(fd, F_SETFL, O_APPEND): 0",
    'size("raw"): 8',
    'write(fd, "x", 1): Bad file descriptor',
    "read(fd, buffer, 1): Bad file descriptor",
    'open("folder", O_WRONLY): Is a directory',
  ],
  // It makes a folder twice, and goes wrong in a listing when files are removed.
  folders: [
    'mkdir("many", 0755): File exists',
    "1000 removed",
    'rmdir("many/"): 0',
    'rmdir("many"): No such file or directory',
    'opendir("many"): No such file or directory',
  ],
}

describe.runIf(canCompileC)("with programs built from C", () => {
  for (const [program, unlike] of Object.entries(cases)) {
    it(`runs ${program}.c with the output of browser_wasi_shim, except for what the shim lacks`, async () => {
      const ours = text((await runKernel(await compileC(program), { stdin: "a\nb" })).stdout).split("\n")
      const theirs = (await runShim(program, "a\nb")).split("\n")
      expect(ours.filter((line, index) => line !== theirs[index])).toEqual(unlike)
    })
  }
})
