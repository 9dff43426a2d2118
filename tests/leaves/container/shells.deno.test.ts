/** The program that serves a container's files, with the shells of this machine: its contract, links, names, races, ends. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { Files } from "../../../src/leaves/files/mod.ts"
import { filesContract } from "../../support/filesContract.ts"
import { filesOfServers, localFileServers } from "../../support/localFileServers.ts"
import { canSwap, swapAttack, untouched } from "../../support/swapAttack.ts"

const place = realpathSync(mkdtempSync(join(tmpdir(), "sluice-server-")))
afterAll(() => rmSync(place, { recursive: true, force: true }))

let count = 0
const makeFolder = (): string => {
  const folder = join(place, String(++count))
  mkdirSync(folder)
  return folder
}

const shells = [["dash"], ["bash"], ["busybox", "sh"]].filter(([program]) =>
  process.platform === "linux" && spawnSync("sh", ["-c", `command -v ${program}`]).status === 0
)

const kindOf = (effect: Effect.Effect<unknown, { readonly faultKind: string }, Files>) =>
  Effect.match(effect, { onSuccess: () => "success", onFailure: ({ faultKind }) => faultKind })

// With the programs of coreutils; those of BusyBox are in the suite of podman.
describe.runIf(shells.length > 0)("with dash", () => {
  const servers = localFileServers(["dash"])
  afterAll(() => servers.close())
  filesContract("the file server", () => filesOfServers(servers, makeFolder()), { manyFiles: 20, isColumn: false })
})

describe.each(shells.slice(1).map((words) => [words.join(" "), words] as const))("with %s", (_, words) => {
  const servers = localFileServers(words)
  afterAll(() => servers.close())
  const test = (title: string, body: (folder: string) => Effect.Effect<unknown, unknown, Files>) =>
    it(title, () => {
      const folder = makeFolder()
      return Effect.runPromise(Effect.provide(body(folder), filesOfServers(servers, folder)))
    })

  test("follows links within the root, and none out of it", (folder) =>
    Effect.gen(function* () {
      const outside = makeFolder()
      writeFileSync(join(outside, "secret"), "secret")
      mkdirSync(join(folder, "in/deep"), { recursive: true })
      writeFileSync(join(folder, "in/file"), "inside")
      const links = {
        "relative": "in/file",
        "absolute": join(folder, "in/file"),
        "chain": "in/../absolute",
        "door": "in",
        "in/up": "..",
        "by": `../${outside.split("/").at(-1)}/../${folder.split("/").at(-1)}/in/file`,
        "out": outside,
        "secret": join(outside, "secret"),
        "loop": "loop",
        "gone": "nowhere",
        "dangling": join(outside, "new"),
      }
      for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name))
      for (const path of ["relative", "absolute", "chain", "door/file", "in/up/door/file", "by"]) {
        expect([path, yield* Files.readText(path)]).toEqual([path, "inside"])
      }
      for (const path of ["out/secret", "secret", "loop"]) {
        expect([path, yield* kindOf(Files.readText(path))]).toEqual([path, "AccessDenied"])
        expect([path, yield* kindOf(Files.write(path, "x"))]).toEqual([path, "AccessDenied"])
        expect([path, yield* kindOf(Files.write(path, "x", { createMode: "CreateOrAppend" }))])
          .toEqual([path, "AccessDenied"])
      }
      expect(yield* kindOf(Files.write("out/new", "x"))).toBe("AccessDenied")
      expect(yield* kindOf(Files.delete("out/secret"))).toBe("AccessDenied")
      expect(yield* kindOf(Files.write("gone", "x"))).toBe("NotFound")
      expect(yield* kindOf(Files.write("dangling", "x"))).toBe("AccessDenied")
      expect(readdirSync(outside)).toEqual(["secret"])
      yield* Files.write("relative", "new")
      expect([readFileSync(join(folder, "in/file"), "utf8"), yield* Files.readText("chain")]).toEqual(["new", "new"])
      const entries = yield* Stream.runCollect(Files.list("", {}))
      expect(entries.find(({ path }) => path === "door")).toMatchObject({
        isSymlink: true,
        isDirectory: true,
        target: "in",
      })
      expect(entries.find(({ path }) => path === "secret")).toMatchObject({ isSymlink: true, isDirectory: false })
      yield* Files.delete("out")
      expect(existsSync(join(outside, "secret"))).toBe(true)
      const exact = Effect.provide(kindOf(Files.readText("door/file")), filesOfServers(servers, folder, false))
      expect(yield* exact).toBe("AccessDenied")
    }))

  test("lists names that look like something else, and leaves out those that are not UTF-8", (folder) =>
    Effect.gen(function* () {
      const names = [
        "a\nb",
        "x//>y".replaceAll("/", "_"),
        "*",
        "?",
        "[a]",
        "-n",
        "..x",
        "\\n",
        "a  b",
        "'",
        '"',
        "$(id)",
      ]
      for (const name of names) writeFileSync(join(folder, name), name)
      spawnSync("bash", ["-c", `touch "$1/"$'\\xff'; ln -s $'\\xfe' "$1/odd"; mkfifo "$1/pipe"`, "-", folder])
      const entries = yield* Stream.runCollect(Files.list(""))
      expect(entries.map(({ path }) => path).toSorted()).toEqual([...names, "odd", "pipe"].toSorted())
      expect(entries.find(({ path }) => path === "a\nb")).toMatchObject({ size: 3, isDirectory: false })
      expect(yield* kindOf(Files.readText("pipe"))).toBe("NotAFile")
      expect(yield* kindOf(Files.write("pipe", "x"))).toBe("NotAFile")
    }))

  test("reads an open file to its end while it is replaced, and has many open at once", () =>
    Effect.gen(function* () {
      const size = 2_500_000
      yield* Files.write("large", new Uint8Array(size).fill(1))
      const readers = Array.from({ length: 7 }, () =>
        Files.stream("large").pipe(
          Stream.tap(() => Effect.ignore(Files.write("large", new Uint8Array(size).fill(2)))),
          Stream.take(3),
          Stream.runFold(() => new Set<number>(), (seen, bytes) => seen.add(bytes[0] ?? 0).add(bytes.at(-1) ?? 0)),
        ))
      const seen = yield* Effect.all(readers, { concurrency: "unbounded" })
      expect(seen.map((values) => values.size)).toEqual(seen.map(() => 1))
      const part = yield* Files.read("large", { offset: 1_200_000, length: 1_200_000 })
      expect([part.length, part.every((byte) => byte === 2)]).toEqual([1_200_000, true])
    }))

  test("has one kind of fault for each mistake", (folder) =>
    Effect.gen(function* () {
      yield* Files.write("file", "")
      yield* Files.write("folder/x", "")
      const kinds = yield* Effect.all([
        Files.read("none"),
        Files.read("folder"),
        Files.write("folder", ""),
        Files.write("file/x", ""),
        Files.stat("file/x"),
        Stream.runDrain(Files.list("file")),
        Files.delete("folder"),
        Files.delete("none"),
        Files.write("file", "", { createMode: "CreateNew" }),
        Files.write("none", "", { createMode: "ReplaceExisting" }),
      ].map(kindOf))
      expect(kinds).toEqual([
        "NotFound",
        "NotAFile",
        "NotAFile",
        "NotADirectory",
        "NotADirectory",
        "NotADirectory",
        "DirectoryNotEmpty",
        "NotFound",
        "AlreadyExists",
        "NotFound",
      ])
      expect(readdirSync(folder).toSorted()).toEqual(["file", "folder"])
    }))

  test("removes a tree with links, many files and names of any kind, and nothing outside", (folder) =>
    Effect.gen(function* () {
      const outside = makeFolder()
      writeFileSync(join(outside, "kept"), "")
      for (const path of ["t/a/b/c", "t/-rf", "t/ x ", "t/*"]) mkdirSync(join(folder, path), { recursive: true })
      for (let index = 0; index < 600; index++) writeFileSync(join(folder, "t/a", `f${index}`), "")
      for (const path of ["t/*/*", "t/a/b/.hidden", "t/a/b/..x", "t/a/new\nline", "other"]) {
        writeFileSync(join(folder, path), "")
      }
      symlinkSync(outside, join(folder, "t/a/b/c/link"))
      symlinkSync("nowhere", join(folder, "t/gone"))
      const { deletedCount } = yield* Files.delete("t", { recursive: true })
      expect([deletedCount, readdirSync(folder), readdirSync(outside)]).toEqual([613, ["other"], ["kept"]])
    }))

  test("removes incomplete files, and never mistakes content for a request", (folder) =>
    Effect.gen(function* () {
      const stop = Stream.concat(Stream.make(new Uint8Array(3_000_000)), Stream.fail("stop"))
      expect(yield* kindOf(Files.write("a", stop))).toBe("IoError")
      expect(readdirSync(folder)).toEqual([])
      // The descriptor is not open: the bytes that follow are not read.
      const server = yield* servers.server
      const body = new TextEncoder().encode(`\ntouch '${folder}/pwned'\n`.repeat(3))
      const call = server.call({ name: "write", words: [9, body.length] }, body)
      yield* Effect.exit(call)
      const next = yield* Effect.result(server.call({ name: "root", words: ["/"] }))
      expect(Result.isFailure(next)).toBe(true)
      expect(readdirSync(folder)).toEqual([])
      // A new server takes its place.
      yield* Files.write("b", "x")
      expect(yield* Files.readText("b")).toBe("x")
    }))

  it.runIf(canSwap)("is not led out of the root by a process that swaps a folder with a link", async () => {
    const seen = new Map<string, number>()
    const use = Effect.gen(function* () {
      for (const path of ["a/f", "a/b/f"]) {
        const read = yield* Effect.result(Files.readText(path))
        const what = Result.isSuccess(read) ? read.success : read.failure.faultKind
        seen.set(what, (seen.get(what) ?? 0) + 1)
      }
      yield* Effect.ignore(Files.write("a/f", "inside"))
      yield* Effect.ignore(Files.write("a/b/new", "inside"))
      yield* Effect.ignore(Files.write("a/f", "", { createMode: "AppendExisting" }))
      yield* Effect.ignore(Files.write("a/appended", "", { createMode: "CreateOrAppend" }))
      yield* Effect.ignore(Files.delete("a/b", { recursive: true }))
      yield* Effect.ignore(Files.write("a/b/f", "inside"))
    })
    const layer = (rootPath: string) => filesOfServers(servers, rootPath)
    expect(await swapAttack(words.join("-"), { swapped: "a", use, layer })).toEqual(untouched)
    expect(seen.get("THE SECRET")).toBe(undefined)
    expect(seen.size).toBeGreaterThan(0)
  })
})
