import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { sha256 } from "../../src/base/sha256.ts"
import { Files, FileSnapshot, LocalFileSystem, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { random } from "../support/random.ts"

const roots: Array<string> = []
const makeRoot = (): string => {
  const root = mkdtempSync(join(tmpdir(), "sluice-snapshot-"))
  roots.push(root)
  return root
}
afterAll(() => roots.forEach((root) => rmSync(root, { recursive: true, force: true })))

const leaves: ReadonlyArray<readonly [string, () => Layer.Layer<Files, unknown>]> = [
  ["LocalFileSystem", () => LocalFileSystem.layer({ rootPath: makeRoot() })],
  ["MemoryFileSystem", () => MemoryFileSystem.layer],
]

describe.each(leaves)("FileSnapshot on %s", (_name, empty) => {
  const test = (title: string, effect: () => Effect.Effect<unknown, unknown, Files>) =>
    it(title, () => Effect.runPromise(Effect.provide(effect(), empty())))

  test("records type, size, permissions and hash of all that is in a folder", () =>
    Effect.gen(function* () {
      yield* Files.write("src/a.ts", "one", { permissions: 0o755 })
      yield* Files.write("src/lib/b", new Uint8Array(1_500_000))
      yield* Files.write("src/node_modules/x", "")
      yield* Files.write("other", "")
      const snapshot = yield* FileSnapshot.take("src", { ignore: ["node_modules"] })
      expect(snapshot.entries.map(({ path, type, size, sha256 }) => [path, type, size, sha256])).toEqual([
        ["a.ts", "file", 3, sha256("one")],
        ["lib", "directory", 0, undefined],
        ["lib/b", "file", 1_500_000, sha256(new Uint8Array(1_500_000))],
      ])
      if (process.platform !== "win32") expect(snapshot.entries[0]?.permissions).toBe(0o755)
      const codec = Schema.fromJsonString(FileSnapshot.FileSnapshot)
      expect(Schema.decodeSync(codec)(Schema.encodeSync(codec)(snapshot))).toEqual(snapshot)
    }))

  test("undoes every change: writes, deletions, new files and folders, changed types and permissions", () =>
    Effect.gen(function* () {
      const store = yield* MemoryFileSystem.make()
      const large = new Uint8Array(2_000_000).map((_, index) => index % 251)
      yield* Files.write("a", "one", { permissions: 0o755 })
      yield* Files.write("d/b", large)
      yield* Files.write("d/e/f", "x")
      yield* Files.write("build/kept", "1")
      yield* Files.write("gone/x", "")
      yield* Files.delete("gone/x")
      yield* Files.write("t", "a file")
      const ignore = ["build"]
      const before = yield* FileSnapshot.take("", { store, ignore })
      yield* Files.write("a", "two", { permissions: 0o600 })
      yield* Files.delete("d", { recursive: true })
      yield* Files.write("d", "a file now")
      yield* Files.delete("gone")
      yield* Files.delete("t")
      yield* Files.write("t/u/v", "a folder now")
      yield* Files.write("new/deep/file", "")
      yield* Files.write("build/kept", "2")
      const undone = yield* FileSnapshot.restore(before, { store })
      expect(undone.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
        "Modified a",
        "Replaced d",
        "Deleted d/b",
        "Deleted d/e",
        "Deleted d/e/f",
        "Deleted gone",
        "Created new",
        "Created new/deep",
        "Created new/deep/file",
        "Replaced t",
        "Created t/u",
        "Created t/u/v",
      ])
      expect(FileSnapshot.compare(before, yield* FileSnapshot.take("", { ignore }))).toEqual([])
      expect(yield* Files.read("d/b")).toEqual(large)
      expect(yield* Files.stat("gone")).toMatchObject({ isDirectory: true })
      expect(yield* Files.readText("build/kept")).toBe("2")
      expect(yield* FileSnapshot.restore(before, { store })).toEqual([])
    }))

  test("keeps each content once, and changes nothing where the store lacks one", () =>
    Effect.gen(function* () {
      const store = yield* MemoryFileSystem.make()
      for (const name of ["a", "b", "c"]) yield* Files.write(name, "same")
      yield* Files.write("d", "different")
      const before = yield* FileSnapshot.take("", { store })
      const kept = yield* Stream.runCollect(Files.list("", { recursive: true })).pipe(
        Effect.provideService(Files, store),
      )
      expect(kept.filter(({ isDirectory }) => !isDirectory).length).toBe(2)
      yield* Files.write("a", "new")
      yield* Files.write("e", "new")
      const other = yield* MemoryFileSystem.make()
      const error = yield* Effect.flip(FileSnapshot.restore(before, { store: other }))
      expect(error).toMatchObject({ _tag: "FileSnapshotError", reason: { _tag: "Missing" }, paths: ["a"] })
      expect(yield* Files.readText("a")).toBe("new")
      expect(yield* Files.exists("e")).toBe(true)
    }))

  test("does not write a content whose bytes were changed in the store", () =>
    Effect.gen(function* () {
      const store = yield* MemoryFileSystem.make()
      yield* Files.write("a", "one")
      const before = yield* FileSnapshot.take("", { store })
      const hash = sha256("one")
      yield* Effect.provideService(Files.write(`${hash.slice(0, 2)}/${hash}`, "two"), Files, store)
      yield* Files.write("a", "three")
      const error = yield* Effect.flip(FileSnapshot.restore(before, { store }))
      expect(error).toMatchObject({ _tag: "FileSnapshotError", reason: { _tag: "Changed" } })
      expect(yield* Files.readText("a")).toBe("three")
    }))

  test("restores after random changes of a tree", () =>
    Effect.gen(function* () {
      const { int, next, pick } = random(7)
      const store = yield* MemoryFileSystem.make()
      const paths = ["a", "b", "c", "d/a", "d/b", "d/e/a", "d/e/b", "f/a"]
      const change = Effect.gen(function* () {
        const path = pick(paths)
        if (next() < 0.7) yield* Effect.ignore(Files.write(path, encodeUtf8("x".repeat(int(0, 5)))))
        else yield* Effect.ignore(Files.delete(pick([path, "d", "f"]), { recursive: true }))
      })
      for (let round = 0; round < 20; round++) {
        const before = yield* FileSnapshot.take("", { store })
        for (let index = 0; index < 10; index++) yield* change
        yield* FileSnapshot.restore(before, { store })
        expect(FileSnapshot.compare(before, yield* FileSnapshot.take(""))).toEqual([])
        for (let index = 0; index < 5; index++) yield* change
      }
    }))
})

it.skipIf(process.platform === "win32")(
  "names changed links and permissions of folders, which it cannot restore, and restores the rest",
  async () => {
    const rootPath = makeRoot()
    mkdirSync(join(rootPath, "d"), { mode: 0o755 })
    writeFileSync(join(rootPath, "a"), "1")
    symlinkSync("a", join(rootPath, "link"))
    const program = Effect.gen(function* () {
      const store = yield* MemoryFileSystem.make()
      const before = yield* FileSnapshot.take("", { store })
      expect(before.entries.find(({ path }) => path === "link")).toEqual({
        path: "link",
        type: "link",
        size: 0,
        target: "a",
      })
      writeFileSync(join(rootPath, "a"), "2")
      rmSync(join(rootPath, "link"))
      symlinkSync("d", join(rootPath, "link"))
      chmodSync(join(rootPath, "d"), 0o700)
      const changes = FileSnapshot.compare(before, yield* FileSnapshot.take(""))
      expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
        "Modified a",
        "Permissions d",
        "Modified link",
      ])
      const error = yield* Effect.flip(FileSnapshot.restore(before, { store }))
      expect(error).toMatchObject({ reason: { _tag: "Mismatch" }, paths: ["d", "link"] })
      expect(readFileSync(join(rootPath, "a"), "utf8")).toBe("1")
    })
    await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))
  },
)

it.skipIf(process.platform === "win32")("restores a file with a set-id bit without it, and says so", async () => {
  const rootPath = makeRoot()
  writeFileSync(join(rootPath, "tool"), "1")
  chmodSync(join(rootPath, "tool"), 0o4755)
  const program = Effect.gen(function* () {
    const store = yield* MemoryFileSystem.make()
    const before = yield* FileSnapshot.take("", { store })
    rmSync(join(rootPath, "tool"))
    const error = yield* Effect.flip(FileSnapshot.restore(before, { store }))
    expect(error).toMatchObject({ reason: { _tag: "Mismatch" }, paths: ["tool"] })
    expect(statSync(join(rootPath, "tool")).mode & 0o7777).toBe(0o755)
  })
  await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))
})

it("names the links that it cannot recreate, and refuses more entries than allowed", async () => {
  const rootPath = makeRoot()
  mkdirSync(join(rootPath, "d"))
  writeFileSync(join(rootPath, "run.sh"), "#!/bin/sh\n", { mode: 0o755 })
  symlinkSync("d", join(rootPath, "link"))
  const program = Effect.gen(function* () {
    const store = yield* MemoryFileSystem.make()
    const before = yield* FileSnapshot.take("", { store })
    rmSync(join(rootPath, "run.sh"))
    yield* FileSnapshot.restore(before, { store })
    expect(statSync(join(rootPath, "run.sh")).mode & 0o777).toBe(0o755)
    expect(readFileSync(join(rootPath, "run.sh"), "utf8")).toBe("#!/bin/sh\n")
    rmSync(join(rootPath, "link"))
    writeFileSync(join(rootPath, "new"), "")
    const error = yield* Effect.flip(FileSnapshot.restore(before, { store }))
    expect(error).toMatchObject({ reason: { _tag: "Mismatch" }, paths: ["link"] })
    expect(existsSync(join(rootPath, "new"))).toBe(false)
    expect(yield* Effect.flip(FileSnapshot.take("", { maxEntries: 1 }))).toMatchObject({ reason: { _tag: "TooMany" } })
  })
  await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))
})
