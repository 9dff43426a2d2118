import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import { Audit } from "@sluice/shell/audit"
import { DaemonShell, ShellDaemon } from "@sluice/shell/daemon"
import { KernelShell } from "@sluice/shell/sandbox"
import { type Entry, Journal, JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { decodeBranchEntry } from "../../src/branch/BranchEntry.ts"
import { ownName } from "../support/ownName.ts"
import { workshop } from "../support/workshop.ts"

const over = <E>(shell: Layer.Layer<Shell, E>, options?: JournaledShell.JournaledShellOptions) =>
  JournaledShell.layerWith(options ?? {}).pipe(Layer.provide(shell), Layer.provideMerge(MemoryJournal.layer))

const entries = Effect.flatMap(Journal, (journal) => journal.read({}))

const executionIn = (all: ReadonlyArray<Entry>) => {
  const lease = all.map((entry) => decodeBranchEntry({ name: "compute" }, entry)).find((said) =>
    said?._tag === "LeaseTaken"
  )
  return lease?._tag === "LeaseTaken" ? lease.execution : undefined
}

describe("the user, directory and program of a command", () => {
  it.live(
    "is in the journal before the command starts: user, canonical directory, canonical program",
    () =>
      Effect.gen(function* () {
        const { path } = yield* workshop
        mkdirSync(path("real"))
        symlinkSync(path("real"), path("link"))
        writeFileSync(path("real/tool"), "#!/bin/sh\nread line\n")
        chmodSync(path("real/tool"), 0o755)
        symlinkSync("tool", path("real/alias"))
        const exec = ShellExec.make("alias", [], {
          commandId: "c1",
          cwd: path("link"),
          env: { PATH: `${path("link")}:/usr/bin:/bin`, TOKEN: "value-of-a-variable" },
        })
        yield* Effect.gen(function* () {
          // Its input does not end, so it runs until it is ended.
          const fiber = yield* Effect.forkChild(Stream.runDrain(Shell.exec(exec, { stdin: Stream.never })))
          const all = yield* Journal.tail({ after: 0 }).pipe(Stream.take(2), Stream.runCollect)
          expect(all.map(({ tag }) => tag).slice(0, 2)).toEqual(["ShellExec", "LeaseTaken"])
          const expected = {
            executable: realpathSync(path("real/tool")),
            user: ownName,
            workingDirectory: realpathSync(path("real")),
          }
          expect(executionIn(all)).toEqual(expected)
          const record = Option.getOrThrow(yield* Audit.get("c1"))
          expect(record).toMatchObject({ ...expected, host: hostname(), state: { _tag: "Running" } })
          expect(Audit.recordJson(record)).toMatchObject({ ...expected, host: hostname() })
          // Nothing of the environment is there but what the request says.
          expect(JSON.stringify(all[1])).not.toContain("value-of-a-variable")
          yield* Fiber.interrupt(fiber)
        }).pipe(Effect.provide(over(LocalShell.layer)))
      }),
  )

  it.live("is present even when the command cannot be started", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      writeFileSync(path("tool"), "#!/no/such/interpreter\n")
      chmodSync(path("tool"), 0o755)
      yield* Effect.exit(Shell.run(ShellExec.make(path("tool"), [], { cwd: "/" })))
      expect(executionIn(yield* entries)).toMatchObject({
        executable: realpathSync(path("tool")),
        workingDirectory: "/",
      })
    }).pipe(Effect.provide(over(LocalShell.layer))))

  it.live("describes the command as an access policy changed it", () =>
    Effect.gen(function* () {
      yield* Shell.run(ShellExec.make("echo", ["hi"], { commandId: "yes", cwd: "/usr/../usr" }))
      expect(executionIn(yield* entries)).toMatchObject({
        executable: realpathSync("/usr/bin/echo"),
        workingDirectory: "/usr",
      })
    }).pipe(Effect.provide(over(
      AccessPolicy.guard({ allowedCommands: ["echo"] })(LocalShell.layer),
    ))))

  it.live("is recorded by a daemon with its lease", () =>
    Effect.gen(function* () {
      yield* Shell.run(ShellExec.make("true", [], { commandId: "d1", cwd: "/" }))
      expect(executionIn(yield* entries)).toEqual({
        executable: realpathSync("/usr/bin/true"),
        user: ownName,
        workingDirectory: "/",
      })
    }).pipe(Effect.provide(
      DaemonShell.layer.pipe(
        Layer.merge(ShellDaemon.layer.pipe(Layer.provide(LocalShell.layer))),
        Layer.provideMerge(MemoryJournal.layer),
      ),
    )))

  it.live("is only the user if programs are not files of this machine", () =>
    Effect.gen(function* () {
      yield* Shell.run(ShellExec.make("echo", ["hi"]))
      expect(executionIn(yield* entries)).toEqual({ user: ownName })
    }).pipe(Effect.provide(over(KernelShell.layer))))

  it.live("contains no secret of the command, like every other part of the request", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const secret = "hunter2-value"
      mkdirSync(path(secret))
      writeFileSync(path(`${secret}/${secret}.sh`), "#!/bin/sh\necho done\n")
      chmodSync(path(`${secret}/${secret}.sh`), 0o755)
      const exec = ShellExec.make(path(`${secret}/${secret}.sh`), [`--plain=${secret}`], {
        cwd: path(secret),
        env: { TOKEN: Redacted.make(secret, { label: "token" }), [`X_${secret}`]: "1", OTHER: `a ${secret}` },
        input: `line ${secret}\n`,
      })
      const output = yield* Shell.run(exec)
      expect(output.stdout).toBe("done\n")
      const all = JSON.stringify(yield* entries)
      expect(all).toContain("<redacted:token>")
      expect(all).not.toContain(secret)
      yield* Effect.exit(Shell.run(ShellExec.make(path(`${secret}/missing`), [Redacted.make(secret)])))
      expect(JSON.stringify(yield* entries)).not.toContain(secret)
    }).pipe(Effect.provide(over(LocalShell.layer))))
})
