/** Tests `sluice daemon` as a child process, with a program that requests commands from it. */
import { expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Shell, ShellExec } from "@sluice/shell"
import { Audit } from "@sluice/shell/audit"
import { DaemonShell } from "@sluice/shell/daemon"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice, startSluice } from "../support.ts"

const posix = it.live.skipIf(process.platform === "win32")

const client = (path: string) =>
  DaemonShell.layerWith({ acceptTimeout: "60 seconds" }).pipe(Layer.provideMerge(SqliteJournal.layer({ path })))

const daemonOn = (path: string, ...flags: ReadonlyArray<string>) =>
  Effect.tap(
    startSluice(["daemon", "--journal", path, ...flags], { env: { TOKEN_OF_DAEMON: "value-that-is-secret" } }),
    (daemon) => eventually("the daemon runs", () => daemon.stderr().includes("runs the commands requested in")),
  )

posix(
  "runs requested commands that the policy allows, and keeps secrets out of the journal",
  () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const daemon = yield* daemonOn(
        path("j.db"),
        "--allow-command",
        "printenv",
        "--allow-cwd-root",
        directory,
        "--pass-env",
        "TOKEN_OF_DAEMON",
        "--secret-env",
        "TOKEN_OF_DAEMON",
      )
      yield* Effect.gen(function* () {
        const options = { commandId: "c1", cwd: directory }
        const output = yield* Shell.run(ShellExec.make("printenv", ["TOKEN_OF_DAEMON"], options))
        // A client reads the journal.
        expect(output.stdout).toBe("<redacted:TOKEN_OF_DAEMON>\n")
        expect(Option.getOrUndefined(yield* Audit.get("c1"))).toMatchObject({
          state: { exitCode: 0 },
          workingDirectory: directory,
        })
        const refused = ShellExec.make("id", [], { cwd: directory })
        expect(yield* Effect.flip(Shell.run(refused))).toMatchObject({ reason: { _tag: "NotAllowed" } })
        const outside = ShellExec.make("printenv", [], { cwd: "/" })
        expect(yield* Effect.flip(Shell.run(outside))).toMatchObject({ reason: { _tag: "NotAllowed" } })
      }).pipe(Effect.provide(client(path("j.db"))))
      daemon.signal("SIGTERM")
      expect(yield* daemon.status).toBe(0)
    }),
)

posix("lets commands continue for the time of --drain, and takes no new ones", () =>
  Effect.gen(function* () {
    const { path, exists } = yield* workshop
    const daemon = yield* daemonOn(path("j.db"), "--drain", "60s")
    yield* Effect.gen(function* () {
      const script = `touch ${path("begun")}; while [ ! -e ${path("go")} ]; do sleep 0.05; done; echo done`
      const first = yield* Effect.forkChild(Shell.run(ShellExec.shell(script)))
      yield* eventually("it runs", () => exists("begun"))
      daemon.signal("SIGINT")
      yield* Effect.sleep("300 millis")
      const second = yield* Effect.forkChild(Shell.run(ShellExec.make("touch", [path("taken")])))
      yield* Effect.sleep("500 millis")
      expect([exists("taken"), daemon.hasEnded()]).toEqual([false, false])
      yield* Shell.run(ShellExec.make("true")).pipe(Effect.timeoutOption("1 millis"))
      yield* Effect.sync(() => process.getBuiltinModule("node:fs").writeFileSync(path("go"), ""))
      expect((yield* Fiber.join(first)).stdout).toBe("done\n")
      expect(yield* daemon.status).toBe(0)
      expect(exists("taken")).toBe(false)
      yield* Fiber.interrupt(second)
    }).pipe(Effect.provide(client(path("j.db"))))
  }))

posix("ends running commands at the first signal without --drain, with a fault", () =>
  Effect.gen(function* () {
    const { path, exists } = yield* workshop
    const daemon = yield* daemonOn(path("j.db"))
    yield* Effect.gen(function* () {
      const running = yield* Effect.forkChild(
        Effect.flip(Shell.run(ShellExec.shell(`touch ${path("begun")}; exec sleep 1000`))),
      )
      yield* eventually("it runs", () => exists("begun"))
      daemon.signal("SIGTERM")
      expect(yield* Fiber.join(running)).toMatchObject({ reason: { _tag: "Cancelled", by: "shutdown" } })
      expect(yield* daemon.status).toBe(0)
    }).pipe(Effect.provide(client(path("j.db"))))
  }))

posix("reports usage errors", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const env = { SLUICE_JOURNAL: "" }
    expect(yield* sluice(["daemon"], { env })).toMatchObject({
      status: 125,
      stderr: expect.stringContaining("missing journal:"),
    })
    expect(yield* sluice(["daemon", "--journal", path("j.ndjson")], { env })).toMatchObject({
      status: 125,
      stderr: expect.stringContaining("has one writer"),
    })
    expect((yield* sluice(["daemon", "--help"], { env })).stdout).toContain("Run the commands that programs request")
  }))
