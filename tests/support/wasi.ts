/**
 * Builds the C programs of `tests/fixtures/wasi` for WASI, and runs them in the kernel and under `node:wasi`.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { wasiFolders, wasiPrograms } from "../../scripts/system.mjs"
import type { FileSystem } from "../../src/kernel/FileSystem.ts"
import { errnoName } from "../../src/kernel/Errno.ts"
import { VirtualFileSystem } from "../../src/kernel/fs/VirtualFileSystem.ts"
import { Kernel } from "../../src/kernel/mod.ts"
import { BufferFile } from "../../src/kernel/process/BufferFile.ts"
import type { ProgramSource } from "../../src/kernel/process/Programs.ts"
import { StaticFile } from "../../src/kernel/process/StaticFile.ts"
import { systemClock } from "../../src/kernel/process/KernelClock.ts"

const fixtures = fileURLToPath(new URL("../fixtures/wasi/", import.meta.url))
const cache = fileURLToPath(new URL("../../.cache/wasi/", import.meta.url))

const places = [...wasiFolders(), ...(process.env["PATH"] ?? "").split(delimiter)]

/** Whether C programs can be built here. */
export const canCompileC: boolean = Object.keys(wasiPrograms).every((program) =>
  places.some((folder) => existsSync(join(folder, program)))
)

const compile = async (name: string, flags: ReadonlyArray<string>): Promise<Uint8Array<ArrayBuffer>> => {
  const source = join(fixtures, `${name}.c`)
  const digest = createHash("sha256").update(JSON.stringify(flags))
  // There are few headers: a change of any rebuilds every program.
  for (const file of (await readdir(fixtures)).filter((other) => other.endsWith(".h")).sort()) {
    digest.update(await readFile(join(fixtures, file)))
  }
  digest.update(await readFile(source))
  const built = join(cache, `${name}-${digest.digest("hex").slice(0, 16)}.wasm`)
  if (!existsSync(built)) {
    await mkdir(dirname(built), { recursive: true })
    // Test files that run at the same time may build the same: whole files only get the name.
    const draft = `${built}.${process.pid}-${Math.random().toString(36).slice(2)}`
    await promisify(execFile)("clang", ["--target=wasm32-wasi", "-O2", "-s", "-Wall", ...flags, source, "-o", draft])
    await rename(draft, built)
  }
  return new Uint8Array(await readFile(built))
}

const compiled = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

/** The module that `tests/fixtures/wasi/NAME.c` is built to. It is kept until a source or the flags change. */
export const compileC = (name: string, flags: ReadonlyArray<string> = []): Promise<Uint8Array<ArrayBuffer>> => {
  const key = JSON.stringify([name, flags])
  const known = compiled.get(key) ?? compile(name, flags)
  compiled.set(key, known)
  return known
}

/** How a program is run. */
export interface WasiRun {
  /** Arguments after the program's name. */
  readonly args?: ReadonlyArray<string> | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly stdin?: string | Uint8Array | undefined
}

/** The result of a run. */
export interface WasiRan {
  readonly exitCode: number
  readonly stdout: Uint8Array
  readonly stderr: string
}

const bytesOf = (content: string | Uint8Array = ""): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content

/** Runs a program in the kernel, by default with an empty file system. */
export const runKernel = async (
  program: ProgramSource,
  run: WasiRun = {},
  fileSystem: FileSystem = VirtualFileSystem.make({ now: systemClock.now }),
): Promise<WasiRan> => {
  const kernel = Kernel.make({ fileSystem, programs: { program } })
  const [stdout, stderr] = [new BufferFile(64 * 1024 * 1024), new BufferFile(1024 * 1024)]
  const handle = kernel.start({
    program: "program",
    args: ["program", ...run.args ?? []],
    env: Object.entries(run.env ?? {}),
    fds: { 0: new StaticFile(bytesOf(run.stdin)), 1: stdout, 2: stderr },
  })
  if (typeof handle === "number") throw new Error(`it did not start: ${errnoName(handle)}`)
  try {
    const { exitCode } = await handle.exited
    return { exitCode, stdout: stdout.bytes, stderr: stderr.text }
  } finally {
    kernel.close()
  }
}

/** Whether this runtime has a `node:wasi` that runs programs: Deno's throws, Bun's knows no folders. */
export const hasNodeWasi: boolean = process.versions["deno"] === undefined && process.versions["bun"] === undefined

/** Runs a program under `node:wasi`, with an empty folder as its `/`. */
export const runNodeWasi = async (module: Uint8Array<ArrayBuffer>, run: WasiRun = {}): Promise<WasiRan> => {
  const { WASI } = await import("node:wasi")
  const folder = await mkdtemp(join(tmpdir(), "sluice-wasi-"))
  try {
    await mkdir(join(folder, "root"))
    const file = async (name: string, content: string | Uint8Array = "") => {
      const handle = await open(join(folder, name), "w+")
      const bytes = bytesOf(content)
      // At a position: the file's own stays at its start.
      await handle.write(bytes, 0, bytes.length, 0)
      return handle
    }
    const stdin = await file("0", run.stdin)
    const [stdout, stderr] = [await file("1"), await file("2")]
    try {
      const wasi = new WASI({
        version: "preview1",
        args: ["program", ...run.args ?? []],
        env: { ...run.env },
        preopens: { "/": join(folder, "root") },
        stdin: stdin.fd,
        stdout: stdout.fd,
        stderr: stderr.fd,
        returnOnExit: true,
      })
      const { instance } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })
      const exitCode = wasi.start(instance)
      const output = (name: string) => readFile(join(folder, name))
      return {
        exitCode: Number(exitCode),
        stdout: new Uint8Array(await output("1")),
        stderr: new TextDecoder().decode(await output("2")),
      }
    } finally {
      for (const handle of [stdin, stdout, stderr]) await handle.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
