import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawnSync } from "node:child_process"
import { hostBackend } from "../../../src/leaves/files/hostBackend.ts"
import { makeHolder } from "../../../src/leaves/files/holdPath.ts"
import { posixRules } from "../../../src/leaves/files/PathRules.ts"
import { type FileFault, FileRead, Files, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { filesContract } from "../../support/filesContract.ts"

const folders: Array<string> = []
const makeRoot = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-files-"))
  folders.push(folder)
  return folder
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

filesContract("LocalFileSystem", () => LocalFileSystem.layer({ rootPath: makeRoot() }))

describe("LocalFileSystem and large files", () => {
  it("gives a whole file in one event to a caller who can take that, and in chunks to others", async () => {
    const rootPath = makeRoot()
    const bytes = Uint8Array.from({ length: 1_500_000 }, (_, index) => index % 251)
    writeFileSync(join(rootPath, "large"), bytes)
    const program = Effect.gen(function* () {
      const whole = yield* Stream.runCollect(
        Files.request(FileRead.make({ path: "large" }), { maxEventBytes: 2 ** 21 }),
      )
      const small = yield* Stream.runCollect(
        Files.request(FileRead.make({ path: "large" }), { maxEventBytes: 2 ** 20 }),
      )
      const cut = yield* Files.read("large", { maxBytes: 1_499_999 }).pipe(Effect.flip)
      return { whole, small, cut, read: yield* Files.read("large") }
    })
    const { cut, read, small, whole } = await within(program, { rootPath })
    expect(whole.map(({ _tag }) => _tag)).toEqual(["FileContent"])
    expect(new Set(small.map(({ _tag }) => _tag))).toEqual(new Set(["FileContentChunk"]))
    expect(cut.code).toBe("EFBIG")
    expect(read).toEqual(bytes)
  })
})

describe("LocalFileSystem and the disk", () => {
  /** How often a write of each kind waits for the disk. */
  const flushes = async (flush: boolean): Promise<number> => {
    const root = realpathSync(makeRoot())
    let count = 0
    const fsync = (handle: number, done: fs.NoParamCallback): void => {
      count += 1
      fs.fsync(handle, done)
    }
    const calls = { ...fs, fsync: Object.assign(fsync, { __promisify__: fs.fsync.__promisify__ }) }
    const holder = makeHolder(calls, "other", false)
    const backend = hostBackend(calls, {
      root,
      rules: posixRules(true),
      holder,
      followSymlinks: true,
      preservePermissions: false,
      flush,
    })
    const writers = [backend.create(["a"]), backend.replace(["a"], true), backend.append(["a"], false)]
    const write = (open: typeof writers[number]) =>
      Effect.scoped(Effect.gen(function* () {
        const writer = yield* open
        yield* writer.write(new Uint8Array(10))
        yield* writer.commit
      }))
    await Effect.runPromise(Effect.forEach(writers, write))
    expect(statSync(join(root, "a")).size).toBe(20)
    expect(readdirSync(root)).toEqual(["a"])
    return count
  }

  it("waits for the disk once in each write, and not with flush: false", async () => {
    expect([await flushes(true), await flushes(false)]).toEqual([3, 0])
  })
})

/** A root with a secret beside it, and links that lead out and in. */
const makeFarm = () => {
  const outside = makeRoot()
  writeFileSync(join(outside, "secret"), "secret")
  const rootPath = join(outside, "root")
  mkdirSync(join(rootPath, "in"), { recursive: true })
  writeFileSync(join(rootPath, "in/file"), "inside")
  symlinkSync("../secret", join(rootPath, "out"))
  symlinkSync(join(outside, "secret"), join(rootPath, "absolute"))
  symlinkSync("..", join(rootPath, "up"))
  symlinkSync("/", join(rootPath, "in/slash"))
  symlinkSync("in", join(rootPath, "door"))
  symlinkSync(join(rootPath, "in/file"), join(rootPath, "same"))
  symlinkSync("../none", join(rootPath, "dangling"))
  symlinkSync("loop", join(rootPath, "loop"))
  return { outside, rootPath }
}

const kindOf = <A>(effect: Effect.Effect<A, FileFault, Files>): Effect.Effect<string, A, Files> =>
  Effect.map(Effect.flip(effect), ({ faultKind }) => faultKind)

const within = <A, E>(
  effect: Effect.Effect<A, E, Files>,
  options: LocalFileSystem.LocalFileSystemOptions,
): Promise<A> => Effect.runPromise(Effect.provide(effect, LocalFileSystem.layer(options)))

describe.skipIf(process.platform === "win32")("LocalFileSystem and absolute paths of this machine", () => {
  it("suggests the path from the root, and makes no folders for a wrong one", async () => {
    const rootPath = realpathSync(makeRoot())
    await within(
      Effect.gen(function* () {
        yield* Files.write("src/a.ts", "")
        const read = yield* Effect.flip(Files.read(`${rootPath}/src/a.ts`))
        const path = `${rootPath}/src/b.ts`
        const write = yield* Effect.flip(Files.write(path, ""))
        for (const [fault, meant] of [[read, "src/a.ts"], [write, "src/b.ts"]] as const) {
          expect(fault.faultKind).toBe("NotFound")
          expect(fault.message).toContain(
            `there is nothing at this path; paths begin at the root: use ${meant} (ENOENT)`,
          )
        }
        const other = yield* Effect.flip(Files.read("/no/such/file"))
        expect(other.message).toContain("/ is the root of these files, not of the system")
        // Without a slash, or where the folder is there, the path is as good as another.
        yield* Files.write(path.slice(1), "")
        yield* Files.write(path, "again")
        expect(yield* Files.readText(path)).toBe("again")
      }),
      { rootPath },
    )
  })
})

describe.skipIf(process.platform === "win32")("LocalFileSystem and links", () => {
  it("denies paths that lead outside the root, and changes nothing outside", async () => {
    const { outside, rootPath } = makeFarm()
    await within(
      Effect.gen(function* () {
        for (const path of ["out", "absolute", "up/secret", "in/slash/etc/passwd", "loop"]) {
          expect([path, yield* kindOf(Files.read(path))]).toEqual([path, "AccessDenied"])
          expect([path, yield* kindOf(Files.stat(path))]).toEqual([path, "AccessDenied"])
          expect([path, yield* kindOf(Files.write(path, "x"))]).toEqual([path, "AccessDenied"])
          const append = Files.write(path, "x", { createMode: "AppendExisting" })
          expect([path, yield* kindOf(append)]).toEqual([path, "AccessDenied"])
        }
        for (const path of ["up", "in/slash"]) {
          expect(yield* kindOf(Stream.runDrain(Files.list(path)))).toBe("AccessDenied")
        }
        expect(yield* kindOf(Files.write("up/new", "x"))).toBe("AccessDenied")
        expect(yield* kindOf(Files.delete("up/secret"))).toBe("AccessDenied")
        expect(yield* kindOf(Files.delete("up/root", { recursive: true }))).toBe("AccessDenied")
        expect(yield* kindOf(Files.write("dangling", "x"))).toBe("NotFound")
      }),
      { rootPath },
    )
    expect(readdirSync(outside).sort()).toEqual(["root", "secret"])
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret")
  })

  it("follows links that stay inside, also absolute ones, and writes behind them", async () => {
    const { rootPath } = makeFarm()
    await within(
      Effect.gen(function* () {
        expect(yield* Files.readText("door/file")).toBe("inside")
        expect(yield* Files.readText("same")).toBe("inside")
        yield* Files.write("same", "new")
        expect(yield* Files.readText("in/file")).toBe("new")
        expect(yield* Files.stat("same")).toMatchObject({ isSymlink: true, isDirectory: false, size: 3 })
        const entries = yield* Stream.runCollect(Files.list("", { recursive: true }))
        expect(entries.find(({ path }) => path === "door")).toMatchObject({ isSymlink: true, isDirectory: true })
        expect(entries.some(({ path }) => path.startsWith("door/") || path.startsWith("up/"))).toBe(false)
        expect(yield* Files.delete("same")).toMatchObject({ deletedCount: 1 })
        expect(yield* Files.delete("door", { recursive: true })).toMatchObject({ deletedCount: 1 })
        expect(yield* Files.readText("in/file")).toBe("new")
      }),
      { rootPath },
    )
  })

  it("follows none with followSymlinks: false", async () => {
    const { rootPath } = makeFarm()
    await within(
      Effect.gen(function* () {
        for (const path of ["door/file", "same", "out"]) expect(yield* kindOf(Files.read(path))).toBe("AccessDenied")
        expect(yield* Files.readText("in/file")).toBe("inside")
      }),
      { rootPath, followSymlinks: false },
    )
  })

  it("does not wait for pipes, and takes devices for no files", async () => {
    const rootPath = makeRoot()
    spawnSync("mkfifo", [join(rootPath, "pipe")])
    await within(
      Effect.gen(function* () {
        expect(yield* kindOf(Files.read("pipe"))).toBe("NotAFile")
        expect(yield* kindOf(Files.write("pipe", ""))).toBe("NotAFile")
        expect(yield* kindOf(Files.write("pipe", "", { createMode: "AppendExisting" }))).toBe("NotAFile")
      }),
      { rootPath },
    )
  })

  it("keeps the permissions of a file that it replaces, and parts from its other names", async () => {
    const rootPath = makeRoot()
    const path = join(rootPath, "run.sh")
    writeFileSync(path, "old")
    chmodSync(path, 0o750)
    linkSync(path, join(rootPath, "other"))
    await within(Files.write("run.sh", "new"), { rootPath })
    expect(statSync(path).mode & 0o777).toBe(0o750)
    expect(readFileSync(join(rootPath, "other"), "utf8")).toBe("old")
  })

  it("leaves no file open and no temporary file behind", async () => {
    const rootPath = realpathSync(makeRoot())
    // Files below the root alone: other tests may share the process.
    const isBelow = (handle: string) => {
      try {
        return readlinkSync(`/proc/self/fd/${handle}`).startsWith(rootPath)
      } catch {
        return false
      }
    }
    await within(
      Effect.gen(function* () {
        for (let round = 0; round < 50; round++) {
          yield* Files.write("a", new Uint8Array(200_000))
          yield* Files.stream("a").pipe(Stream.take(1), Stream.runDrain)
          yield* Effect.ignore(Files.write("a", Stream.fail("broken")))
          yield* Effect.ignore(Files.read("none"))
          yield* Effect.ignore(Files.write("a/b", ""))
        }
      }),
      { rootPath },
    )
    expect(readdirSync(rootPath)).toEqual(["a"])
    if (process.platform === "linux") expect(readdirSync("/proc/self/fd").filter(isBelow)).toEqual([])
  })
})

it("obeys allowWrite and allowDelete", async () => {
  const rootPath = makeRoot()
  writeFileSync(join(rootPath, "a"), "x")
  await within(
    Effect.gen(function* () {
      expect(yield* kindOf(Files.write("a", "y"))).toBe("AccessDenied")
      expect(yield* kindOf(Files.delete("a"))).toBe("AccessDenied")
      expect(yield* Files.readText("a")).toBe("x")
    }),
    { rootPath, allowWrite: false, allowDelete: false },
  )
})

it("names a root that it cannot use", async () => {
  const error = await Effect.runPromise(Effect.flip(LocalFileSystem.make({ rootPath: "/no/such/folder" })))
  expect(error.message).toBe(
    'LocalFileSystem: rootPath "/no/such/folder" cannot be opened (ENOENT); name a folder that exists',
  )
})
