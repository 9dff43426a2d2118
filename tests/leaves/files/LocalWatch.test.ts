/** Changes of a real folder, as each runtime tells of them. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Files, FileWatch, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { runScript } from "../../support/script.ts"
import { eventually, settled } from "../../support/eventually.ts"

const folders: Array<string> = []
const makeRoot = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-watch-"))
  folders.push(folder)
  return folder
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

const until = (holds: () => boolean): Promise<void> => Effect.runPromise(eventually(String(holds), holds))

/** Everything that a watch has told so far, and the paths that are there by its word. */
interface Seen {
  readonly events: Array<FileWatch.FileWatchEvent>
  readonly there: Set<string>
  readonly tags: (path: string) => ReadonlyArray<string>
}

/** Calls `use` while a folder is watched. */
const watching = (
  rootPath: string,
  use: (seen: Seen) => Promise<void>,
  { path = "", ...options }: FileWatch.FileWatchOptions & { path?: string } = {},
): Promise<void> =>
  Effect.gen(function* () {
    const events: Array<FileWatch.FileWatchEvent> = []
    const there = new Set<string>()
    const seen: Seen = {
      events,
      there,
      tags: (wanted) =>
        events.flatMap((event) => event._tag !== "FileWatchOverflow" && event.path === wanted ? [event._tag] : []),
    }
    const follow = FileWatch.watch(path, { window: "20 millis", ...options }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          events.push(event)
          if (event._tag === "Created") there.add(event.path)
          if (event._tag === "Deleted") there.delete(event.path)
        })
      ),
    )
    const fiber = yield* Effect.forkChild(follow, { startImmediately: true })
    // The watch has begun once it tells of a change.
    yield* Effect.promise(async () => {
      await until(() => {
        writeFileSync(join(rootPath, path, "begun"), "")
        return events.length > 0
      })
      rmSync(join(rootPath, path, "begun"))
      await until(() => seen.tags(join(path, "begun")).at(-1) === "Deleted")
      events.length = 0
      await use(seen)
    })
    expect(fiber.pollUnsafe()).toBe(undefined)
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(LocalFileSystem.layer({ rootPath })), Effect.runPromise)

const inotifyWatches = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === "anon_inode:inotify"
    } catch {
      return false
    }
  }).length

describe("FileWatch on LocalFileSystem", () => {
  it("reports files that are made, written and deleted, also in folders below", async () => {
    const root = makeRoot()
    mkdirSync(join(root, "src/lib"), { recursive: true })
    writeFileSync(join(root, "src/lib/a"), "1")
    await watching(root, async ({ tags }) => {
      writeFileSync(join(root, "src/lib/a"), "2")
      await until(() => tags("src/lib/a").includes("Modified"))
      writeFileSync(join(root, "src/b"), "1")
      await until(() => tags("src/b").includes("Created"))
      rmSync(join(root, "src/lib/a"))
      await until(() => tags("src/lib/a").at(-1) === "Deleted")
      expect(tags("src/lib/a")).not.toContain("Created")
      rmSync(join(root, "src"), { recursive: true })
      await until(() => tags("src").at(-1) === "Deleted")
      expect([tags("src/lib").at(-1), tags("src/b").at(-1)]).toEqual(["Deleted", "Deleted"])
    })
  })

  it("looks into a folder that took the place of another, also among many changes", async () => {
    const root = makeRoot()
    for (const name of ["x", "y"]) {
      mkdirSync(join(root, name))
      writeFileSync(join(root, name, `in ${name}`), "")
    }
    await watching(root, async ({ tags }) => {
      for (let file = 0; file < 40; file++) writeFileSync(join(root, `f${file}`), "")
      rmSync(join(root, "x"), { recursive: true })
      renameSync(join(root, "y"), join(root, "x"))
      await until(() => tags("x/in y").at(-1) === "Created" && tags("y").at(-1) === "Deleted")
      expect(tags("x/in x").at(-1)).toBe("Deleted")
      writeFileSync(join(root, "x/later"), "")
      await until(() => tags("x/later").includes("Created"))
    }, { rescanInterval: "1 hour" })
  })

  // Deno leaves out links that lead nowhere, until the next comparison.
  it.skipIf(process.platform === "win32" || "Deno" in globalThis)("sees links that lead nowhere", async () => {
    const root = makeRoot()
    mkdirSync(join(root, "d"))
    writeFileSync(join(root, "d/f"), "")
    await watching(root, async ({ tags }) => {
      symlinkSync("nowhere", join(root, "d/link"))
      await until(() => tags("d/link").includes("Created"))
      rmSync(join(root, "d/f"))
      symlinkSync("nowhere", join(root, "d/f"))
      await until(() => tags("d/f").length > 0 && tags("d/f").at(-1) !== "Deleted")
      rmSync(join(root, "d/link"))
      await until(() => tags("d/link").at(-1) === "Deleted")
    }, { rescanInterval: "1 hour" })
  })

  it("sees what is in new folders within new folders, however soon it came", async () => {
    const root = makeRoot()
    await watching(root, async ({ there, tags }) => {
      const paths: Array<string> = []
      for (let index = 0; index < 50; index++) {
        mkdirSync(join(root, `d${index}/e/f`), { recursive: true })
        writeFileSync(join(root, `d${index}/e/f/file`), "")
        paths.push(`d${index}`, `d${index}/e`, `d${index}/e/f`, `d${index}/e/f/file`)
        if (index % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 15))
      }
      await until(() => paths.every((path) => there.has(path)))
      // And what comes later.
      writeFileSync(join(root, "d7/e/f/later"), "")
      await until(() => tags("d7/e/f/later").includes("Created"))
    })
  })

  it("sees renames, of files and of whole folders, as deleted and created", async () => {
    const root = makeRoot()
    mkdirSync(join(root, "old/in"), { recursive: true })
    writeFileSync(join(root, "old/in/a"), "1")
    writeFileSync(join(root, "x"), "1")
    await watching(root, async ({ tags, there }) => {
      renameSync(join(root, "x"), join(root, "y"))
      await until(() => tags("x").includes("Deleted") && tags("y").includes("Created"))
      renameSync(join(root, "old"), join(root, "new"))
      await until(() => tags("old/in/a").includes("Deleted") && there.has("new/in/a"))
      writeFileSync(join(root, "new/in/b"), "1")
      await until(() => there.has("new/in/b"))
    })
  })

  it("follows the names: another folder that others put in place of the watched one, or of one below it", async () => {
    const root = makeRoot()
    for (const folder of ["src", "deep/down"]) mkdirSync(join(root, "w", folder), { recursive: true })
    const aside = makeRoot()
    await watching(root, async ({ tags, there }) => {
      renameSync(join(root, "w/deep"), join(aside, "deep"))
      mkdirSync(join(root, "w/deep/down"), { recursive: true })
      writeFileSync(join(root, "w/deep/down/a"), "")
      await until(() => there.has("w/deep/down/a"))
      writeFileSync(join(root, "w/deep/down/b"), "")
      await until(() => there.has("w/deep/down/b"))
      renameSync(join(root, "w"), join(aside, "w"))
      mkdirSync(join(root, "w"))
      writeFileSync(join(root, "w/c"), "1")
      await until(() => there.has("w/c") && tags("w/src").includes("Deleted"))
      // Its comparison may still be going on.
      await new Promise((resolve) => setTimeout(resolve, 300))
      writeFileSync(join(root, "w/c"), "22")
      await until(() => tags("w/c").includes("Modified"))
    }, {
      path: "w",
      // Deno's watcher stays with the folder that was moved, until a comparison.
      rescanInterval: "Deno" in globalThis ? "1500 millis" : "1 hour",
    })
  })

  it("sees an atomic replacement with the same size, our own and that of others, and no temporary file", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "a"), "1")
    await watching(root, async ({ events, tags }) => {
      writeFileSync(join(root, ".a.swp"), "2")
      renameSync(join(root, ".a.swp"), join(root, "a"))
      await until(() => tags("a").includes("Modified"))
      events.length = 0
      await Effect.runPromise(Effect.provide(Files.write("a", "3"), LocalFileSystem.layer({ rootPath: root })))
      await until(() => tags("a").includes("Modified"))
      expect(events.some((event) => event._tag !== "FileWatchOverflow" && event.path.startsWith(".sluice"))).toBe(false)
    })
  })

  it("combines many writes in one window into one event", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "a"), "")
    await watching(root, async ({ events, tags }) => {
      for (let index = 0; index < 200; index++) writeFileSync(join(root, "a"), String(index))
      await until(() => tags("a").length > 0)
      await new Promise((resolve) => setTimeout(resolve, 700))
      expect(tags("a").length).toBeLessThan(5)
      expect(events.every(({ _tag }) => _tag === "Modified")).toBe(true)
    }, { window: "200 millis" })
  })

  it("loses none of 10,000 files that come at once, and says so where notifications were lost", async () => {
    const root = makeRoot()
    await watching(root, async ({ events, there }) => {
      for (let index = 0; index < 10_000; index++) writeFileSync(join(root, `f${index}`), "x")
      await until(() => there.size === 10_000)
      for (let index = 0; index < 10_000; index += 2) rmSync(join(root, `f${index}`))
      await until(() => there.size === 5_000)
      // Each file is told once as created, whether notified or found by a comparison.
      const created = events.flatMap((event) => event._tag === "Created" ? [event.path] : [])
      expect(created.length).toBe(new Set(created).size)
    })
  })

  it("reports lost events where several watches together have more than the system keeps", async () => {
    const root = makeRoot()
    const names = ["a", "b", "c", "d"]
    const files = Array.from({ length: 6_000 }, (_, index) => String(index))
    for (const name of names) {
      mkdirSync(join(root, name))
      for (const file of files) writeFileSync(join(root, name, file), "1")
    }
    // Long ago, so that a comparison sees that they are written.
    spawnSync("find", [root, "-type", "f", "-exec", "touch", "-d", "2020-01-01", "{}", "+"])
    const told = names.map(() => new Set<string>())
    const program = Effect.gen(function* () {
      for (const [index, name] of names.entries()) {
        const follow = Stream.runForEach(
          FileWatch.watch(name, { rescanInterval: "1 hour" }),
          (event) =>
            Effect.sync(() => {
              if (event._tag === "Modified") told[index]?.add(event.path)
            }),
        )
        yield* Effect.forkChild(follow, { startImmediately: true })
      }
      // All have begun once each tells of a change.
      yield* Effect.promise(() =>
        until(() => {
          for (const name of names) writeFileSync(join(root, name, "0"), String(Math.random()))
          return told.every(({ size }) => size > 0)
        })
      )
      for (const name of names) for (const file of files) writeFileSync(join(root, name, file), "2")
      yield* Effect.promise(() => until(() => told.every(({ size }) => size === files.length)))
    })
    await Effect.runPromise(Effect.provide(Effect.scoped(program), LocalFileSystem.layer({ rootPath: root })))
  })

  it("compares the folder again where more changed than it remembers", async () => {
    const root = makeRoot()
    await watching(root, async ({ events, there }) => {
      for (let index = 0; index < 500; index++) writeFileSync(join(root, `f${index}`), "x")
      await until(() => there.size === 500 && events.some(({ _tag }) => _tag === "FileWatchOverflow"))
    }, { maxPending: 100 })
  })

  it("omits ignored paths, and reports paths from the root of the leaf", async () => {
    const root = makeRoot()
    mkdirSync(join(root, "src/node_modules/x"), { recursive: true })
    await watching(root, async ({ events, there }) => {
      writeFileSync(join(root, "src/node_modules/x/a"), "")
      writeFileSync(join(root, "src/a.log"), "")
      writeFileSync(join(root, "outside"), "")
      writeFileSync(join(root, "src/a.ts"), "")
      await until(() => there.has("src/a.ts"))
      expect(new Set(events.map((event) => event._tag === "FileWatchOverflow" ? "" : event.path))).toEqual(
        new Set(["src/a.ts"]),
      )
    }, { path: "src", ignore: ["node_modules", "*.log"] })
  })

  it("does not enter links, also those that lead out of the root", async () => {
    const root = makeRoot()
    const outside = makeRoot()
    await watching(root, async ({ events, there }) => {
      symlinkSync(outside, join(root, "link"))
      await until(() => there.has("link"))
      writeFileSync(join(outside, "secret"), "")
      writeFileSync(join(root, "a"), "")
      await until(() => there.has("a"))
      expect(events.map((event) => event._tag === "FileWatchOverflow" ? "" : event.path).sort()).toEqual(["a", "link"])
      // Deno.watchFs leaves out links that lead out of its folder.
    }, { rescanInterval: "300 millis" })
  })

  it("fails when its folder is deleted, after reporting it", async () => {
    const root = makeRoot()
    mkdirSync(join(root, "src"))
    writeFileSync(join(root, "src/a"), "")
    const program = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Stream.runDrain(FileWatch.watch("src", { pollInterval: "100 millis" })), {
        startImmediately: true,
      })
      yield* Effect.sleep("300 millis")
      rmSync(join(root, "src"), { recursive: true })
      return yield* Effect.flip(Fiber.join(fiber))
    })
    const fault = await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath: root })))
    expect(fault).toMatchObject({ _tag: "FileFault", faultKind: "NotFound", path: "src" })
  })

  it("fails for an invalid folder and for invalid options", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "a"), "")
    const fail = (path: string, options?: FileWatch.FileWatchOptions) =>
      Effect.runPromise(
        Effect.provide(
          Effect.flip(Stream.runDrain(FileWatch.watch(path, options))),
          LocalFileSystem.layer({ rootPath: root }),
        ),
      )
    expect(await fail("a")).toMatchObject({ faultKind: "NotADirectory" })
    expect(await fail("none")).toMatchObject({ faultKind: "NotFound" })
    expect(await fail("../x")).toMatchObject({ faultKind: "InvalidPath" })
    // @ts-expect-error it is called window
    expect((await fail("", { windw: 1 })).message).toBe('FileWatch: unknown option "windw"; did you mean "window"?')
    mkdirSync(join(root, "b"))
    const many = await fail("", { maxEntries: 1 })
    expect(many).toMatchObject({ faultKind: "IoError", code: "EMFILE" })
    expect(many.message).toContain("more than 1 files and folders")
  })

  it.runIf(process.platform === "linux")("leaves no watcher and no timer behind", async () => {
    const root = makeRoot()
    for (let index = 0; index < 20; index++) mkdirSync(join(root, `d${index}/e`), { recursive: true })
    const marksOf = () =>
      readdirSync("/proc/self/fdinfo").reduce((sum, fd) => {
        try {
          const { stdout } = spawnSync("grep", ["-c", "^inotify wd", `/proc/${process.pid}/fdinfo/${fd}`])
          return sum + Number(String(stdout))
        } catch {
          return sum
        }
      }, 0)
    await Effect.runPromise(settled(marksOf))
    const before = { descriptors: inotifyWatches(), marks: marksOf() }
    let during = 0
    for (let round = 0; round < 3; round++) {
      await watching(root, () => {
        during = marksOf()
        return Promise.resolve()
      })
    }
    expect(during).toBeGreaterThanOrEqual(before.marks + 41)
    await until(() => marksOf() === before.marks)
    // Node and Bun keep one descriptor for all watchers.
    expect(inotifyWatches()).toBeLessThanOrEqual(before.descriptors + 1)
  })

  it("lets the program end when it is closed", async () => {
    const { code, stderr, stdout } = await runScript(new URL("./watchAndClose.ts", import.meta.url), [makeRoot()])
    expect([code, stdout, stderr]).toEqual([0, "closed\n", ""])
  })
})
