/** Tests that leaves clean up when their programs end, are killed, or work on the same folder. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { IsolatedShell } from "@sluice/shell/isolated"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs"
import * as nodeFs from "node:fs"
import { workspaceNames } from "../../../../src/base/protectedNames.ts"
import { makingName, startCleaner } from "../../../../src/leaves/isolated/Cleaner.ts"
import { IsolatedHost } from "../../../../src/leaves/isolated/IsolatedHost.ts"
import { ensurePlaceholder } from "../../../../src/leaves/isolated/placeholders.ts"
import { findHost } from "../../../../src/host/findHost.ts"
import type { Host } from "../../../../src/host/Host.ts"
import { bundled } from "../../../support/bundled.ts"
import { behindWalls, isolationWorks } from "../../../support/isolation.ts"
import { eventually } from "../../../support/eventually.ts"
import { killProcessesWith } from "../../../support/processesWith.ts"
import { type Workshop, workshop } from "../../../support/workshop.ts"

let fixture = ""
beforeAll(async () => {
  fixture = await bundled("tests/leaves/isolated/cleaning/host.fixture.ts")
})

/** The ids of processes with a text in their environment: those of the engine have the variables of the command too. */
const runningWith = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(text)
    } catch {
      return false
    }
  })

/** Starts a program; resolves when it has run a command. */
const startHost = (
  { makeDirectory }: Workshop,
  name: string,
  { killAfter = "", mark = name }: { readonly killAfter?: string; readonly mark?: string } = {},
): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<ChildProcess>((resolve, reject) => {
        const host = spawn(process.execPath, ["run", "-A", fixture, makeDirectory("project"), mark, killAfter], {
          stdio: ["pipe", "pipe", "inherit"],
          env: { ...process.env, TMPDIR: makeDirectory(`tmp-${name}`) },
        })
        host.once("error", reject)
        // Not at its exit, which may be seen before what it wrote.
        host.once("close", () => reject(new Error(`${name} has ended`)))
        host.stdout.once("data", () => resolve(host))
      })
    ),
    (host) => Effect.sync(() => host.kill("SIGKILL")),
  )

const ended = (host: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (host.exitCode !== null || host.signalCode !== null) return resume(Effect.void)
    host.once("exit", () => resume(Effect.void))
  })

const end = (host: ChildProcess): Effect.Effect<void> => {
  host.stdin?.end("end\n")
  return ended(host)
}

const protectedNames = [".env", ".git", "refs", ...workspaceNames].toSorted()

describe.runIf(isolationWorks)("leaves of several programs", () => {
  it.live("share a folder until the last one has ended", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const [first, second] = yield* Effect.all([startHost(shop, "first"), startHost(shop, "second")], {
        concurrency: 2,
      })
      expect(readdirSync(shop.path("project")).toSorted()).toEqual(protectedNames)
      yield* end(first)
      expect(readdirSync(shop.path("project")).toSorted()).toEqual(protectedNames)
      expect(readdirSync(shop.path("tmp-first"))).toEqual([])
      const { stdout } = yield* behindWalls({ writable: [shop.path("project")] }, (run) =>
        run("echo x > .env; mkdir refs; echo done"))
      expect(stdout).toBe("done\n")
      // The third leaf saw `refs`, and kept the name `objects` for its time.
      yield* eventually("only the names of the second leaf are kept", () =>
        readdirSync(shop.path("project")).toSorted().join() === protectedNames.join())
      yield* end(second)
      expect(readdirSync(shop.path("project"))).toEqual([])
    }))

  it.live("leave nothing when they are killed; the next leaf removes the files of a killed cleaner", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const first = yield* startHost(shop, "first")
      first.kill("SIGKILL")
      yield* eventually(
        "all is removed",
        () => readdirSync(shop.path("project")).length === 0 && readdirSync(shop.path("tmp-first")).length === 0,
      )
      const second = yield* startHost(shop, "second")
      const [left] = readdirSync(shop.path("tmp-second"))
      killProcessesWith(shop.path("tmp-second"))
      second.kill("SIGKILL")
      yield* ended(second)
      expect(readdirSync(shop.path("project")).toSorted()).toEqual(protectedNames)
      // The folder of a leaf that is just being made is young, too.
      const old = new Date(Date.now() - 120_000)
      utimesSync(shop.path(`tmp-second/${left}`), old, old)
      mkdirSync(shop.path("tmp-second/sluice-isolated-young"))
      const third = yield* startHost(shop, "second")
      yield* eventually("the old folder is removed", () => !existsSync(shop.path(`tmp-second/${left}`)))
      yield* end(third)
      expect(readdirSync(shop.path("project"))).toEqual([])
      expect(readdirSync(shop.path("tmp-second"))).toEqual(["sluice-isolated-young"])
    }))

  it.live("leave no command, however soon they are killed", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const marks = yield* Effect.forEach(["0", "1", "2", "4", "before"], (killAfter) =>
        Effect.gen(function* () {
          const mark = `mark-${killAfter}-${crypto.randomUUID()}`
          const host = yield* startHost(shop, `kill-${killAfter}`, { killAfter, mark })
          yield* ended(host)
          return mark
        }), { concurrency: 2 })
      yield* eventually("all processes have ended", () => marks.every((mark) => runningWith(mark).length === 0))
      yield* eventually("all is removed", () => readdirSync(shop.path("project")).length === 0)
    }))

  it.live("removes a placeholder that was being made when its program was killed, and nothing else", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path, write } = yield* workshop
      const own = makeDirectory("own")
      const runtime = findHost()
      if (runtime === undefined) return expect.unreachable()
      // The end of the pipe without a line is that of a killed program.
      const host: Host = {
        ...runtime,
        spawn: async (request) => {
          const started = await runtime.spawn(request)
          return { ...started, stdin: started.stdin && { ...started.stdin, write: () => Promise.resolve(true) } }
        },
      }
      const [placeholder, mine] = [{ path: path("commondir"), content: ".\n" }, { path: path(".env"), content: "" }]
      const cleaner = yield* Effect.promise(() => startCleaner(host, "/bin/sh", own, [placeholder, mine]))
      write(".env", "")
      ensurePlaceholder({ ...nodeFs, utimesSync: () => {}, rmSync: () => {} }, placeholder, `${own}/${makingName}`)
      expect(readdirSync(directory).toSorted()).toEqual([".env", "commondir", "own"])
      yield* Effect.promise(cleaner.close)
      expect(readdirSync(directory)).toEqual([".env"])
    }))

  it.live("make their folder only after git has responded: an old one without a lock would be removed", () =>
    Effect.gen(function* () {
      const { makeDirectory, path } = yield* workshop
      spawnSync("git", ["init", "-q", makeDirectory("project")])
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = makeDirectory("tmp")
      const runtime = findHost()
      if (runtime === undefined) return expect.unreachable()
      const seen: Array<ReadonlyArray<string>> = []
      const host: Host = {
        ...runtime,
        spawn: (request) => {
          if (request.file.endsWith("/git")) seen.push(readdirSync(path("tmp")))
          return runtime.spawn(request)
        },
      }
      yield* Effect.scoped(IsolatedShell.make({ writable: [path("project")] })).pipe(
        Effect.provideService(IsolatedHost, host),
        Effect.ensuring(Effect.sync(() => {
          if (before === undefined) delete process.env["TMPDIR"]
          else process.env["TMPDIR"] = before
        })),
      )
      expect(seen).toEqual([[]])
    }))

  it.live("fails to start while another process has locked its folder", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const folder = shop.makeDirectory("project")
      yield* Effect.acquireRelease(
        Effect.sync(() => spawn("flock", ["-x", folder, "sleep", "60"], { detached: true, stdio: "ignore" })),
        ({ pid = 0 }) => Effect.sync(() => process.kill(-pid, "SIGKILL")),
      )
      yield* eventually("it is locked", () => spawnSync("flock", ["-n", "-s", folder, "true"]).status === 1)
      const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make({ writable: [folder] })))
      expect(error._tag).toBe("IsolationError")
      expect(error.message).toContain("has locked a writable folder")
      expect(readdirSync(folder)).toEqual([])
    }))
})
