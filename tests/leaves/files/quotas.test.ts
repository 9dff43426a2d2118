/** Full disks, quotas and limits of the system: typed faults that say what is left. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type FileFault,
  Files,
  KernelFileSystem,
  type LeafFilesOptions,
  LocalFileSystem,
  MemoryFileSystem,
} from "../../../src/leaves/files/mod.ts"
import { Sandbox } from "../../../src/sandbox/mod.ts"
import { scriptAnswer } from "../../support/script.ts"

const roots: Array<string> = []
const mounted: Array<string> = []
const makeRoot = (): string => {
  const root = mkdtempSync(join(tmpdir(), "sluice-quota-"))
  roots.push(root)
  return root
}
afterAll(() => {
  for (const folder of mounted.toReversed()) spawnSync("umount", [folder])
  for (const root of roots) rmSync(root, { recursive: true, force: true })
})

const mount = (args: ReadonlyArray<string>, folder: string): boolean => {
  const { status } = spawnSync("mount", [...args, folder])
  if (status === 0) mounted.push(folder)
  return status === 0
}

const canMount = (() => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  const folder = makeRoot()
  return mount(["-t", "tmpfs", "-o", "size=64k", "tmpfs"], folder)
})()

const local = (rootPath: string, options?: LeafFilesOptions) => LocalFileSystem.layer({ rootPath, ...options })

const inSandbox = (options: LeafFilesOptions) =>
  Layer.unwrap(Effect.map(Sandbox.make(), (sandbox) => {
    sandbox.fileSystem.makeDirectory(sandbox.fileSystem.root, "/work", 0o755)
    return Layer.orDie(KernelFileSystem.layer(sandbox, { ...options, rootPath: "/work" }))
  }))

const leaves: ReadonlyArray<readonly [string, (options: LeafFilesOptions) => Layer.Layer<Files, unknown>]> = [
  ["LocalFileSystem", (options) => local(makeRoot(), options)],
  ["KernelFileSystem", inSandbox],
]

const fail = <A>(effect: Effect.Effect<A, FileFault, Files>): Effect.Effect<FileFault, A, Files> => Effect.flip(effect)

describe.each(leaves)("the quota of %s", (_name, make) => {
  const test = (title: string, options: LeafFilesOptions, effect: Effect.Effect<unknown, unknown, Files>) =>
    it(title, () => Effect.runPromise(Effect.scoped(Effect.provide(effect, make(options)))))

  test(
    "refuses bytes beyond it, and says how many are free",
    { maxBytes: 100 },
    Effect.gen(function* () {
      yield* Files.write("d/a", new Uint8Array(60))
      const fault = yield* fail(Files.write("b", new Uint8Array(41)))
      expect(fault).toMatchObject({ faultKind: "DiskFull", code: "EDQUOT", path: "b" })
      expect(fault.message).toBe("write b: it exceeds the quota; free: 40 bytes (EDQUOT)")
      expect(yield* Files.exists("b")).toBe(false)
      yield* Files.write("b", new Uint8Array(40))
      expect(yield* fail(Files.write("b", "x", { createMode: "AppendExisting" }))).toMatchObject({ code: "EDQUOT" })
      // A replacement needs only what it adds; a deletion gives back.
      yield* Files.write("d/a", new Uint8Array(60))
      yield* Files.write("d/a", new Uint8Array(10))
      yield* Files.write("b", new Uint8Array(50), { createMode: "AppendExisting" })
      expect(yield* fail(Files.write("c", "x"))).toMatchObject({ code: "EDQUOT" })
      yield* Files.delete("d", { recursive: true })
      yield* Files.write("c", new Uint8Array(10))
    }),
  )

  test(
    "refuses files and folders beyond it",
    { maxFiles: 3 },
    Effect.gen(function* () {
      yield* Files.write("d/a", "")
      yield* Files.write("b", "")
      const fault = yield* fail(Files.write("c", ""))
      expect(fault.message).toBe("write c: it exceeds the quota; free: 0 files (EDQUOT)")
      expect(yield* fail(Files.write("e/f", ""))).toMatchObject({ faultKind: "DiskFull" })
      yield* Files.write("b", "replaced")
      yield* Files.delete("b")
      yield* Files.write("c", "")
    }),
  )

  test(
    "holds against many writes at once, and a failed write returns its bytes",
    { maxBytes: 1_000, maxFiles: 50 },
    Effect.gen(function* () {
      const writes = Array.from(
        { length: 40 },
        (_, index) => Effect.result(Files.write(`f${index}`, Stream.make(new Uint8Array(30), new Uint8Array(30)))),
      )
      const results = yield* Effect.all(writes, { concurrency: 40 })
      const entries = yield* Stream.runCollect(Files.list(""))
      expect(entries.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(1_000)
      expect(entries.length).toBe(results.filter(({ _tag }) => _tag === "Success").length)
      expect(entries.length).toBe(16)
      for (const { path } of entries) yield* Files.delete(path)
      for (let round = 0; round < 20; round++) {
        const broken = Stream.concat(Stream.make(new Uint8Array(900)), Stream.fail("broken"))
        expect(yield* fail(Files.write("a", broken))).toMatchObject({ faultKind: "IoError" })
      }
      yield* Files.write("a", new Uint8Array(1_000))
    }),
  )
})

describe.each(leaves)("the quota of %s", (_name, make) => {
  it("holds where many replace one file at once", async () => {
    const program = Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        yield* Files.write("a", new Uint8Array(900))
        yield* Effect.all(Array.from({ length: 10 }, () => Files.write("a", Stream.make(new Uint8Array(10)))), {
          concurrency: 10,
        })
        // Each of them gave back what it replaced, which were 900 bytes only once.
        const fault = yield* fail(Files.write("b", new Uint8Array(991)))
        expect(fault.message).toContain("free: 990 bytes")
      }
      const large = Files.write("a", Stream.make(new Uint8Array(900)))
      yield* large
      // While it is written, what it replaces shrinks, and another takes the room.
      const content = Stream.make(new Uint8Array(450), new Uint8Array(450)).pipe(
        Stream.tap(() => Effect.asVoid(Files.write("a", ""))),
        Stream.tap(() => Effect.ignore(Files.write("c", new Uint8Array(900)))),
      )
      const files = yield* Files
      yield* Effect.ignore(Files.write("a", Stream.provideService(content, Files, files)))
      const sizes = yield* Stream.runFold(Files.list(""), () => 0, (sum, { size }) => sum + size)
      expect(sizes).toBeLessThanOrEqual(1_000)
    })
    await Effect.runPromise(Effect.scoped(Effect.provide(program, make({ maxBytes: 1_000 }))))
  })

  it("is not evaded by a name of temporary files, which is refused", async () => {
    const name = `.sluice-${crypto.randomUUID()}.tmp`
    const program = Effect.gen(function* () {
      for (const path of [name, `${name}/a`, `d/${name}`]) {
        const fault = yield* fail(Files.write(path, new Uint8Array(60)))
        expect(fault).toMatchObject({ faultKind: "InvalidPath" })
        expect(fault.message).toContain("is a name of temporary files; use another")
      }
      expect(yield* fail(Files.readText(name))).toMatchObject({ faultKind: "NotFound" })
    })
    await Effect.runPromise(Effect.scoped(Effect.provide(program, make({ maxBytes: 100 }))))
  })
})

it("counts the leftovers of a killed process's write", async () => {
  const root = makeRoot()
  const left = `.sluice-${crypto.randomUUID()}.tmp`
  writeFileSync(join(root, left), new Uint8Array(60))
  const program = Effect.gen(function* () {
    const fault = yield* fail(Files.write("a", new Uint8Array(60)))
    expect(fault.message).toContain("free: 40 bytes")
    yield* Files.delete(left)
    yield* Files.write("a", new Uint8Array(60))
  })
  await Effect.runPromise(Effect.provide(program, local(root, { maxBytes: 100 })))
})

it("counts writes of other processes before it refuses, and after a while", async () => {
  const root = makeRoot()
  const program = Effect.gen(function* () {
    yield* Files.write("a", new Uint8Array(50))
    writeFileSync(join(root, "b"), new Uint8Array(50))
    rmSync(join(root, "a"))
    yield* Files.write("c", new Uint8Array(50))
    const fault = yield* fail(Files.write("d", "x"))
    expect(fault.message).toContain("free: 0 bytes")
  })
  await Effect.runPromise(Effect.provide(program, local(root, { maxBytes: 100 })))
})

it("reports the free space in memory", async () => {
  const fault = await Effect.runPromise(
    Effect.provide(
      Effect.andThen(Files.write("a", "12345678"), fail(Files.write("b", new Uint8Array(100_000)))),
      MemoryFileSystem.layerWith({ maxBytes: 10_000, maxFiles: 5 }),
    ),
  )
  expect(fault.message).toBe("write b: there is no space left; free: 9992 bytes, 4 files (ENOSPC)")
})

describe.runIf(canMount)("a real disk", () => {
  it("is full: the fault reports the free space, the old content stays, and there is no temporary file", async () => {
    const root = makeRoot()
    expect(mount(["-t", "tmpfs", "-o", "size=256k,nr_inodes=20", "tmpfs"], root)).toBe(true)
    const program = Effect.gen(function* () {
      yield* Files.write("a", new Uint8Array(100_000))
      const fault = yield* fail(Files.write("a", new Uint8Array(400_000)))
      expect(fault).toMatchObject({ faultKind: "DiskFull", code: "ENOSPC" })
      expect(fault.message).toMatch(/there is no space left; free: \d+ bytes, \d+ files \(ENOSPC\)/)
      expect(yield* Files.stat("a")).toMatchObject({ size: 100_000 })
      const append = Files.write("a", new Uint8Array(400_000), { createMode: "AppendExisting" })
      expect(yield* fail(append)).toMatchObject({ faultKind: "DiskFull" })
      yield* Files.delete("a")
      for (let index = 0; index < 30; index++) yield* Effect.ignore(Files.write(`f${index}`, ""))
      const files = yield* fail(Files.write("one-more", ""))
      expect(files.message).toMatch(/free: \d+ bytes, 0 files \(ENOSPC\)/)
    })
    await Effect.runPromise(Effect.provide(program, local(root)))
    expect(readdirSync(root).filter((name) => name.startsWith(".sluice"))).toEqual([])
  })

  it("is read-only: nothing can be written or deleted, and reading goes on", async () => {
    const root = makeRoot()
    mkdirSync(join(root, "in"))
    writeFileSync(join(root, "in/a"), "x")
    expect(mount(["--bind", root], root)).toBe(true)
    expect(spawnSync("mount", ["-o", "remount,ro,bind", root]).status).toBe(0)
    const program = Effect.gen(function* () {
      const changes: ReadonlyArray<Effect.Effect<unknown, FileFault, Files>> = [
        Files.write("in/a", "y"),
        Files.write("in/b", "y", { createMode: "CreateNew" }),
        Files.write("in/a", "y", { createMode: "AppendExisting" }),
        Files.write("new/folder", "y"),
        Files.delete("in/a"),
        Files.delete("in", { recursive: true }),
      ]
      for (const change of changes) {
        const fault = yield* Effect.flip(change)
        expect(fault).toMatchObject({ faultKind: "AccessDenied", code: "EROFS" })
        expect(fault.message).toContain("the file system is read-only")
      }
      expect(yield* Files.readText("in/a")).toBe("x")
    })
    await Effect.runPromise(Effect.provide(program, local(root)))
  })

  it("has another one below it: both are read, written and deleted, but for the mounted folder itself", async () => {
    const root = makeRoot()
    mkdirSync(join(root, "m"))
    expect(mount(["-t", "tmpfs", "-o", "size=64k", "tmpfs"], join(root, "m"))).toBe(true)
    const program = Effect.gen(function* () {
      yield* Files.write("m/a", "1")
      yield* Files.write("m/a", "2")
      expect(yield* Files.readText("m/a")).toBe("2")
      expect(yield* fail(Files.delete("m", { recursive: true }))).toMatchObject({
        faultKind: "AccessDenied",
        code: "EBUSY",
      })
      expect(yield* Files.exists("m/a")).toBe(false)
    })
    await Effect.runPromise(Effect.provide(program, local(root)))
  })
})

/** Runs operations in a process of its own with limits of the system; the codes of its faults. */
const limited = (before: ReadonlyArray<string>, what: string): Promise<Readonly<Record<string, string>>> =>
  scriptAnswer(
    Schema.Record(Schema.String, Schema.String),
    new URL("./limitedProcess.ts", import.meta.url),
    [what, makeRoot()],
    { before },
  )

describe.runIf(process.platform === "linux")("limits of a process", () => {
  it("on the size of files are DiskFull", async () => {
    // The signal would end the process; ignored, the write fails.
    const shell = ["/bin/bash", "-c", "trap '' XFSZ; ulimit -f 2048; exec \"$@\"", "limited"]
    const faults = await limited(shell, "large")
    expect(faults).toEqual({ write: "DiskFull EFBIG", append: "DiskFull EFBIG", small: "written" })
  })

  it("on open files are IoError, and pass", async () => {
    const faults = await limited(["/bin/bash", "-c", 'ulimit -n 128; exec "$@"', "limited"], "open")
    expect(faults).toEqual({ open: "IoError EMFILE", after: "x" })
  })
})
