/** Thousands of generated paths, and a folder full of links, pipes, devices and strange names: none leads out, none waits. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type FileFault, Files, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { type Random, random } from "../../support/random.ts"
import { rounds } from "../../support/rounds.ts"

const paths = rounds(10_000)
const seed = Number(process.env["SLUICE_SEED"] ?? 29)
const marker = `outside-${crypto.randomUUID()}`
/** Has a size that no other file has. */
const secret = marker.repeat(301)
const servers: Array<Server> = []

const place = fs.mkdtempSync(join(tmpdir(), "sluice-evil-"))
afterAll(() => {
  servers.forEach((server) => server.close())
  fs.rmSync(place, { recursive: true, force: true })
})

const outside = join(place, "outside")
const root = join(place, "root")

/** Makes a file whose name is not UTF-8, which Deno cannot. */
const makeOdd = (folder: string, name: string): boolean =>
  spawnSync("bash", ["-c", `touch "$1/"$'${name}'`, "-", folder]).status === 0

/** Links, pipes, sockets, devices and names that are not UTF-8; what this machine does not permit is left out. */
const makeFarm = (): void => {
  fs.mkdirSync(join(outside, "d/e"), { recursive: true })
  fs.mkdirSync(join(root, "in/deep/er"), { recursive: true })
  for (const path of ["secret", "d/secret", "d/e/secret", marker, `d/${marker}`, `d/e/${marker}`]) {
    fs.writeFileSync(join(outside, path), secret)
  }
  for (const path of ["file", "in/file", "in/deep/file", "caf\u00e9", "cafe\u0301"]) {
    fs.writeFileSync(join(root, path), "inside")
  }
  const links: ReadonlyArray<readonly [string, string]> = [
    ["/", "slash"],
    ["..", "up"],
    ["../..", "in/up2"],
    ["../outside", "out"],
    ["../outside/secret", "secret"],
    [join(outside, "d"), "in/absolute"],
    ["loop", "loop"],
    ["loop2", "loop1"],
    ["loop1", "loop2"],
    ["../outside/new", "dangling"],
    ["in", "door"],
    ["door", "door2"],
    ["../door2/deep", "in/again"],
    ["in/../../outside", "devious"],
    ["./in/deep/../../../outside/secret", "devious2"],
    ["/proc/self/root", "procroot"],
    ["/proc/self/cwd", "cwd"],
    ["/proc/self/fd", "fds"],
    ["/dev", "dev"],
    ["/dev/fd", "devfd"],
    ["/dev/stdin", "stdin"],
    ["/proc/self/mem", "mem"],
    ["x".repeat(4_000), "long"],
  ]
  for (const [target, path] of links) fs.symlinkSync(target, join(root, path))
  // A chain of links, each through the one before.
  for (let index = 0; index < 60; index++) {
    fs.symlinkSync(index === 0 ? "in" : `chain${index - 1}`, join(root, `chain${index}`))
  }
  spawnSync("mkfifo", [join(root, "pipe"), join(root, "in/pipe")])
  spawnSync("mknod", [join(root, "null"), "c", "1", "3"])
  spawnSync("mknod", [join(root, "tty"), "c", "5", "0"])
  const server = createServer()
  servers.push(server)
  server.listen(join(root, "socket"))
  for (const name of ["f\\xff", "\\xc0\\x80", "\\xed\\xa0\\x80"]) makeOdd(root, name)
  fs.mkdirSync(join(root, "closed"), { mode: 0 })
  fs.writeFileSync(join(root, "unreadable"), "inside", { mode: 0 })
}

const names = [
  ..."file in deep er caf\u00e9 cafe\u0301 door door2 again".split(" "),
  ..."slash up up2 out secret absolute loop loop1 dangling devious devious2 procroot cwd fds devfd dev stdin mem".split(
    " ",
  ),
  ..."pipe null tty socket closed unreadable long chain0 chain39 chain59 f\ufffd new outside d e root etc passwd".split(
    " ",
  ),
  "..",
  ".",
  "",
  "...",
  " ",
  "-",
  "~",
  "a\0b",
  "\0",
  "..\0",
  "a\nb",
  "\u001b[2J",
  "\u202e",
  "\ufeff",
  "\ud800",
  "\udc80",
  "\u2025",
  "\uff0e\uff0e",
  "%2e%2e",
  "%00",
  "..%2f",
  "..\\..",
  "C:",
  "C:\\Windows",
  "\\\\?\\C:",
  "\\\\server\\share",
  "CON",
  "nul.txt",
  "file:stream",
  "FILE",
  "In",
  "x".repeat(255),
  "x".repeat(256),
  "é".repeat(128),
  "0",
  "1",
  "3",
]

const randomPath = ({ int, next, pick }: Random): string => {
  const chance = next()
  if (chance < 0.03) return `${"a/".repeat(int(2_040, 2_060))}b`
  if (chance < 0.05) return `${"../".repeat(int(1, 1_400))}${pick(["etc/passwd", `outside/secret`, outside.slice(1)])}`
  if (chance < 0.07) {
    return pick([outside, `${outside}/secret`, `file://${outside}/secret`, `/proc/self/root${outside}/secret`])
  }
  const path = Array.from({ length: int(1, 6) }, () => pick(names)).join(pick(["/", "/", "/", "//", "/./", "\\"]))
  return pick(["", "", "/", "./", "//"]) + path + pick(["", "", "", "/", "/."])
}

/** Everything outside of the root, to compare. */
const picture = (): string =>
  fs.readdirSync(outside, { recursive: true }).map(String).sort()
    .map((path) => {
      const stats = fs.lstatSync(join(outside, path))
      return `${path} ${stats.mode} ${stats.size} ${stats.mtimeMs} ${stats.ino} ${stats.nlink}`
    }).join("\n")

describe.skipIf(process.platform === "win32")("LocalFileSystem", () => {
  it(`stays below its root with ${paths} generated paths, and waits for none`, async () => {
    makeFarm()
    const before = picture()
    const rootsBefore = fs.readdirSync(place).sort()
    const source = random(seed)
    const counts = new Map<string, number>()
    const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
    const escaped: Array<string> = []
    /** Runs an operation; it is neither longer than its limit, nor does it give bytes of outside. */
    const attempt = (path: string, effect: Effect.Effect<string, FileFault, Files>) =>
      Effect.gen(function* () {
        const result = yield* Effect.timeoutOption(Effect.result(effect), "30 seconds")
        if (Option.isNone(result)) escaped.push(`hangs: ${JSON.stringify(path)}`)
        else if (result.value._tag === "Failure") count(result.value.failure.faultKind)
        else if (result.value.success.includes(secret)) escaped.push(JSON.stringify(path))
        else count("done")
      })
    const program = Effect.gen(function* () {
      for (let index = 0; index < paths; index++) {
        const path = randomPath(source)
        yield* attempt(path, Files.readText(path, { maxBytes: 1_000_000 }))
        yield* attempt(path, Effect.map(Files.stat(path), ({ size }) => size === secret.length ? secret : ""))
        if (index % 4 === 0) {
          const list = Stream.runFold(
            Files.list(path, { recursive: index % 8 === 0 }),
            () => "",
            (all, entry) => all + entry.path,
          )
          yield* attempt(path, Effect.map(list, (all) => all.includes(marker) || all.includes("shadow") ? secret : ""))
        }
        if (index % 3 === 0) {
          const createMode = source.pick(["CreateNew", "CreateOrReplace", "CreateOrAppend", "AppendExisting"] as const)
          yield* attempt(path, Effect.as(Files.write(path, "written", { createMode }), ""))
        }
        if (index % 7 === 0) yield* attempt(path, Effect.as(Files.delete(path, { recursive: index % 14 === 0 }), ""))
      }
    })
    await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath: root })))
    expect(escaped).toEqual([])
    expect(picture()).toBe(before)
    expect(fs.readdirSync(place).sort()).toEqual(rootsBefore)
    // Each kind of answer was met: the paths are not all refused for the same reason.
    for (
      const kind of ["done", "InvalidPath", "PathTooLong", "NotFound", "AccessDenied", "NotADirectory", "NotAFile"]
    ) {
      expect([kind, (counts.get(kind) ?? 0) > Math.min(20, paths / 100)]).toEqual([kind, true])
    }
    expect([...counts.keys()]).not.toContain("Timeout")
  }, 600_000)

  it("gives a hard link that others put below its root, and changes only its own name of it", async () => {
    const rootPath = fs.mkdtempSync(join(place, "hard-"))
    fs.writeFileSync(join(outside, "shared"), "shared")
    fs.linkSync(join(outside, "shared"), join(rootPath, "name"))
    const program = Effect.gen(function* () {
      expect(yield* Files.readText("name")).toBe("shared")
      yield* Files.write("name", "mine")
      expect(fs.readFileSync(join(outside, "shared"), "utf8")).toBe("shared")
      yield* Files.delete("name")
    })
    await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))
    expect(fs.statSync(join(outside, "shared")).nlink).toBe(1)
    fs.rmSync(join(outside, "shared"))
  })

  it("says that a folder with a name that is not Unicode cannot be deleted", async () => {
    const rootPath = fs.mkdtempSync(join(place, "odd-"))
    fs.mkdirSync(join(rootPath, "d"))
    // macOS accepts only Unicode.
    if (!makeOdd(join(rootPath, "d"), "f\\xff")) return
    const program = Effect.gen(function* () {
      expect(yield* Stream.runCollect(Files.list("d"))).toEqual([])
      const fault = yield* Effect.flip(Files.delete("d", { recursive: true }))
      expect(fault).toMatchObject({ faultKind: "DirectoryNotEmpty" })
      expect(fault.message).toContain("names that are not Unicode")
    })
    await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))
  })

  it("writes nothing else where a link leads to a name that is not Unicode, and lists each name once", async () => {
    const rootPath = fs.mkdtempSync(join(place, "odd-link-"))
    if (!makeOdd(rootPath, "f\\xff")) return
    spawnSync("bash", ["-c", `ln -s $'f\\xff' "$1/link"`, "-", rootPath])
    const program = Effect.gen(function* () {
      for (const createMode of ["CreateOrReplace", "ReplaceExisting", "AppendExisting"] as const) {
        const fault = yield* Effect.flip(Files.write("link", "new", { createMode }))
        expect(fault).toMatchObject({ faultKind: "InvalidPath", code: "EILSEQ" })
      }
      expect(yield* Effect.flip(Files.readText("link"))).toMatchObject({ faultKind: "InvalidPath" })
      fs.writeFileSync(join(rootPath, "f\ufffd"), "another")
      expect((yield* Stream.runCollect(Files.list(""))).map(({ path }) => path)).toEqual(["f\ufffd", "link"])
    })
    await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))
    expect(spawnSync("bash", ["-c", `cat "$1/"$'f\\xff'`, "-", rootPath]).stdout.toString()).toBe("")
  })

  it.runIf(process.platform === "linux")("reads files of /proc, which do not say how large they are", async () => {
    const program = Effect.gen(function* () {
      expect(yield* Files.stat("proc/version")).toMatchObject({ size: 0 })
      const text = yield* Files.readText("proc/version")
      expect(text).toMatch(/^Linux version/)
      expect(yield* Files.readText("proc/version", { offset: 6, length: 7 })).toBe("version")
      expect(yield* Files.readText("proc/version", { offset: 100_000 })).toBe("")
    })
    await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath: "/" })))
  })
})
