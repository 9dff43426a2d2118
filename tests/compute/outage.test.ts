/** A database that pauses while commands run: a real one, whose processes are stopped, and one that another has locked. */
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { spawnSync } from "node:child_process"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { Audit } from "@sluice/shell/audit"
import { DaemonShell, ShellDaemon } from "@sluice/shell/daemon"
import { Journal, JournaledShell } from "@sluice/shell/journal"
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import * as Stream from "effect/Stream"
import { eventually, pause } from "../support/eventually.ts"
import { postgresIsHere, type Server, useServer } from "../support/postgres.ts"
import { workshop } from "../support/workshop.ts"

const posix = process.platform !== "win32"

/** Stops all processes of a server, and lets them go on with the scope at the latest. */
const stopped = (server: Server) =>
  Effect.gen(function* () {
    const [main = ""] = readFileSync(`${server.data}/postmaster.pid`, "utf8").split("\n")
    const ids = () =>
      [main, ...spawnSync("ps", ["-o", "pid=", "--ppid", main], { encoding: "utf8" }).stdout.trim().split(/\s+/)]
        .filter((id) => id !== "").map(Number)
    const all = ids()
    const signal = (name: "SIGSTOP" | "SIGCONT") => Effect.sync(() => all.forEach((pid) => process.kill(pid, name)))
    yield* Effect.acquireRelease(signal("SIGSTOP"), () => signal("SIGCONT"))
    return signal("SIGCONT")
  })

const length = 1_000_000

/** A command that waits for a file, writes more than a pipe holds, and says when it is through. */
const wordy = (path: (name: string) => string) =>
  ShellExec.shell(
    `touch ${path("begun")}; while [ ! -e ${path("go")} ]; do sleep 0.05; done; ` +
      `head -c ${length} /dev/zero | tr '\\0' x; touch ${path("through")}`,
    { commandId: "wordy" },
  )

/** What comes, as it comes. */
const sizeOf = (exec: ShellExec) =>
  Stream.runFold(
    Shell.exec(exec),
    () => 0,
    (sum, event) => event._tag === "ShellOutputChunk" ? sum + event.content.length : sum,
  )

const stored = Effect.gen(function* () {
  const record = yield* Audit.find("wordy")
  return yield* Audit.output(record).pipe(Stream.runFold(() => 0, (sum, { bytes }) => sum + bytes.length))
})

describe.runIf(posix && postgresIsHere)("a PostgreSQL that pauses", () => {
  const server = useServer()

  it.live("ends no command of a daemon: it keeps running while its output waits", () =>
    Effect.gen(function* () {
      const { exists, path, write } = yield* workshop
      const layer = DaemonShell.layer.pipe(
        Layer.merge(ShellDaemon.layerWith({ lease: "10 minutes" }).pipe(Layer.provide(LocalShell.layer))),
        Layer.provideMerge(PostgresJournal.layer(server().options("paused_daemon"))),
      )
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(sizeOf(wordy(path)))
        yield* eventually("it runs", () => exists("begun"))
        const resume = yield* stopped(server())
        write("go", "")
        // It is through while the server is stopped: a pipe holds a fifteenth of what it writes.
        yield* eventually("it is through", () => exists("through"))
        yield* resume
        expect(yield* Fiber.join(fiber)).toBe(length)
        expect(yield* stored).toBe(length)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }))

  it.live("ends no command of a journaled shell when its store has given up", () =>
    Effect.gen(function* () {
      const { exists, path, write } = yield* workshop
      const options = { ...server().options("stopped_journaled"), reconnectTimeout: "200 millis" as const }
      const layer = JournaledShell.layerWith({ outageTimeout: "80 seconds" }).pipe(
        Layer.provide(LocalShell.layer),
        Layer.provideMerge(PostgresJournal.layer(options)),
      )
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(sizeOf(wordy(path)))
        yield* eventually("it runs", () => exists("begun"))
        yield* Effect.promise(() => server().stop("immediate"))
        write("go", "")
        // The store has given up by now, and more than once.
        yield* pause(1_500)
        yield* Effect.promise(() => server().start())
        expect(yield* Fiber.join(fiber)).toBe(length)
        expect([exists("through"), yield* stored]).toEqual([true, length])
        const journal = yield* Journal
        expect((yield* journal.verify()).entries).toBeGreaterThan(3)
      }).pipe(Effect.provide(layer))
    }))
})

describe.runIf(posix)("a SQLite file that another has locked", () => {
  it.live("ends no command, and gets all of its output when it is free", () =>
    Effect.gen(function* () {
      const { exists, path, write } = yield* workshop
      const layer = JournaledShell.layer.pipe(
        Layer.provide(LocalShell.layer),
        Layer.provideMerge(SqliteJournal.layer({ path: path("j.db"), lockTimeout: "100 millis" })),
      )
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(sizeOf(wordy(path)))
        yield* eventually("it runs", () => exists("begun"))
        const other = new DatabaseSync(path("j.db"))
        other.exec("BEGIN IMMEDIATE")
        write("go", "")
        yield* pause(500)
        expect(fiber.pollUnsafe()).toBeUndefined()
        other.exec("ROLLBACK")
        other.close()
        expect(yield* Fiber.join(fiber)).toBe(length)
        expect([exists("through"), yield* stored]).toEqual([true, length])
      }).pipe(Effect.provide(layer))
    }))
})
