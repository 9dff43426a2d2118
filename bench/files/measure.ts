/** One measurement in a process of its own: `measure.ts ROW TOOL JOB` prints values as a line of JSON. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeSync } from "node:fs"
import { lstat, open, readdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { LocalShell } from "../../mod.ts"
import { type FileFault, Files, FileSearch, LocalFileSystem, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { timed, type Values } from "../rows/Row.ts"
import { decodeJob } from "./Job.ts"

/** Reads and writes whole files below one root. */
interface Tool {
  readonly read: (path: string) => Promise<Uint8Array>
  readonly write: (path: string, bytes: Uint8Array) => Promise<unknown>
  /** Does many at once, as the tool itself does it best. */
  readonly all: (
    paths: ReadonlyArray<string>,
    bytes: Uint8Array | undefined,
  ) => Promise<unknown>
}

const atOnce = 16

const [, , row = "", name = "", text = ""] = process.argv
const job = decodeJob(text)
const root = mkdtempSync(join(tmpdir(), "sluice-bench-"))

const durable = async (path: string, bytes: Uint8Array): Promise<void> => {
  const temporary = `${path}.${crypto.randomUUID()}`
  const handle = await open(temporary, "wx")
  await handle.writeFile(bytes)
  await handle.sync()
  await handle.close()
  await rename(temporary, path)
}

/** Uses all names, some at once. */
const together = async (
  names: ReadonlyArray<string>,
  use: (name: string) => Promise<unknown>,
): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      await use(name)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const bareTool = (
  write: (path: string, bytes: Uint8Array) => Promise<void>,
): Tool => ({
  read: (path) => readFile(join(root, path)),
  write: (path, bytes) => write(join(root, path), bytes),
  all: (paths, bytes) =>
    together(
      paths,
      (path) => bytes === undefined ? readFile(join(root, path)) : write(join(root, path), bytes),
    ),
})

const sluiceTool = (): Tool & {
  readonly search: () => Promise<number>
  readonly call: () => Promise<unknown>
} => {
  const runtime = ManagedRuntime.make(
    name === "memory"
      ? MemoryFileSystem.layerWith({ maxBytes: 2 ** 32 })
      : name === "unflushed"
      ? LocalFileSystem.layer({ rootPath: root, flush: false })
      : Layer.provide(
        LocalFileSystem.layerWithRipgrep({ rootPath: root }),
        LocalShell.layer,
      ),
  )
  const call: Effect.Effect<unknown, FileFault, Files> = row === "append"
    ? Files.write("appended", appended, { createMode: "CreateOrAppend" })
    : row === "stat"
    ? Files.stat("many/1")
    : Stream.runCount(Files.list("many"))
  return {
    call: () => runtime.runPromise(call),
    search: () =>
      runtime.runPromise(
        Stream.runFold(FileSearch.search(pattern), () => 0, (sum, { _tag }) => sum + (_tag === "FileMatch" ? 1 : 0)),
      ),
    read: (path) => runtime.runPromise(Files.read(path)),
    write: (path, bytes) => runtime.runPromise(Files.write(path, bytes)),
    all: (paths, bytes) =>
      runtime.runPromise(
        Effect.forEach(
          paths,
          (path): Effect.Effect<unknown, FileFault, Files> =>
            bytes === undefined ? Files.read(path) : Files.write(path, bytes),
          { concurrency: atOnce, discard: true },
        ),
      ),
  }
}

const appended = new Uint8Array(100).fill(7)

/** The call of a row by the runtime alone. */
const bareCall = async (): Promise<unknown> => {
  if (row === "stat") return await stat(join(root, "many/1"))
  if (row === "list") {
    const names = await readdir(join(root, "many"))
    return await together(names, (name) => lstat(join(root, "many", name)))
  }
  const handle = await open(join(root, "appended"), "a")
  await handle.write(appended)
  await handle.sync()
  return await handle.close()
}

const calls = async (): Promise<Values> => {
  mkdirSync(join(root, "many"))
  for (let index = 0; index < 10_000; index++) {
    await writeFile(join(root, "many", String(index)), "")
  }
  const count = row === "list" ? Math.ceil(job.large / 10) : job.small
  const call = name === "bare" ? bareCall : sluice.call
  const round = async (times: number): Promise<void> => {
    for (let index = 0; index < times; index++) await call()
  }
  await round(Math.ceil(count / 4))
  return { perSecond: count * 1000 / await timed(() => round(count)) }
}

const sluice = sluiceTool()
const tool: Tool = name === "bare" ? bareTool(writeFile) : name === "durable" ? bareTool(durable) : sluice

const large = async (): Promise<Values> => {
  const bytes = new Uint8Array(row === "readLarge" ? 10_485_760 : 1_048_576)
    .fill(7)
  const paths = Array.from({ length: 20 }, (_, index) => `large/${index}`)
  mkdirSync(join(root, "large"), { recursive: true })
  for (const path of paths) await tool.write(path, bytes)
  const round = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const path = paths[index % paths.length] ?? ""
      if (row === "write") await tool.write(path, bytes)
      else if ((await tool.read(path)).length !== bytes.length) {
        throw new Error("the read was short")
      }
    }
  }
  await round(Math.ceil(job.large / 4))
  const millis = await timed(() => round(job.large))
  return { megabytesPerSecond: job.large * bytes.length / 1000 / millis }
}

const small = async (): Promise<Values> => {
  const bytes = new Uint8Array(1_024).fill(7)
  const paths = Array.from(
    { length: job.small },
    (_, index) => `small/${Math.floor(index / 100)}/${index}`,
  )
  for (const path of paths) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
  }
  await tool.all(paths, bytes)
  const millis = await timed(() => tool.all(paths, row === "smallWrite" ? bytes : undefined))
  return { filesPerSecond: job.small * 1000 / millis }
}

const pattern = "needle \\d+"

const search = async (): Promise<Values> => {
  const lines = Array.from(
    { length: 64 },
    (_, index) => `a line of text that has the number ${index} at its end`,
  )
  const paths = Array.from(
    { length: job.searched },
    (_, index) => `searched/${Math.floor(index / 100)}/${index}.txt`,
  )
  const write = name === "memory" ? tool : bareTool(writeFile)
  for (const [index, path] of paths.entries()) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    const text = [...lines, ...(index % 100 === 0 ? [`needle ${index}`] : [])]
      .join("\n")
    await write.write(path, new TextEncoder().encode(text))
  }
  const expected = Math.ceil(job.searched / 100)
  const once = async (): Promise<void> => {
    const found = name === "rg" ? ripgrep() : await sluice.search()
    if (found !== expected) {
      throw new Error(`${found} of ${expected} matches were found`)
    }
  }
  await once()
  const millis = await timed(once)
  return { filesPerSecond: job.searched * 1000 / millis }
}

const ripgrep = (): number =>
  String(
    spawnSync("rg", ["--no-config", "--json", "-e", pattern, root], {
      maxBuffer: 2 ** 28,
    }).stdout,
  )
    .split("\n").filter((line) => line.startsWith('{"type":"match"')).length

try {
  const measured: Readonly<Record<string, () => Promise<Values>>> = {
    read: large,
    readLarge: large,
    write: large,
    append: calls,
    stat: calls,
    list: calls,
    search,
  }
  const values = await (measured[row] ?? small)()
  writeSync(1, `${JSON.stringify(values)}\n`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
process.exit(0)
