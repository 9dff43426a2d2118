/** Tests that the processes of commands whose host was killed are found and ended. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { CommandId, FaultReason, LocalShell, Shell, ShellExec } from "@sluice/shell"
import { bundled } from "../../support/bundled.ts"
import { eventually, pause } from "../../support/eventually.ts"
import { scriptAnswer, type ScriptOptions } from "../../support/script.ts"
import { type Workshop, workshop } from "../../support/workshop.ts"
import { runtime } from "./rawSpawn.ts"

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const family = here("../../fixtures/family.sh")
const allMembers = ["child", "grandchild", "stubborn", "escapee", "orphan", "bare", "sleeper"]
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

const encode = Schema.encodeSync(Schema.fromJsonString(ShellExec))

let hostFile = ""

beforeAll(async () => {
  hostFile = await bundled("tests/leaves/local/orphanHost.fixture.ts")
})

/** A script of the tests, by the runtime that runs them. */
const script = (file: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  process.execPath,
  ...(runtime === "deno" ? ["run", "-A", "--no-prompt"] : []),
  file,
  ...args,
]

const endedWithTest = (start: () => ChildProcess): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(start), (child) => Effect.sync(() => child.kill("SIGKILL")))

/** A process that runs commands. */
const hostOf = (
  execs: ReadonlyArray<ShellExec>,
  before: ReadonlyArray<string> = [],
): Effect.Effect<ChildProcess, never, Scope.Scope> => {
  const [program = "", ...args] = [
    ...before,
    ...script(hostFile, ...execs.map((exec) => encode(exec))),
  ]
  return endedWithTest(() => spawn(program, args, { stdio: "ignore" }))
}

/** Kills it by SIGKILL, and waits until it is gone. */
const kill = (host: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (host.exitCode !== null || host.signalCode !== null) return resume(Effect.void)
    host.once("exit", () => resume(Effect.void))
    host.kill("SIGKILL")
  })

/** A family whose members write into a directory of its own while they live. */
const familyIn = ({ makeDirectory, size }: Workshop, name: string, members: ReadonlyArray<string>) => {
  const directory = makeDirectory(name)
  chmodSync(directory, 0o777)
  const sizes = () => members.map((member) => size(`${name}/${member}`))
  return {
    exec: (commandId: string) => ShellExec.make("sh", [family, directory, ...members], { commandId }),
    allRun: () => sizes().every((each) => each > 2),
    /** Waits until each member has written again. */
    live: Effect.suspend(() => {
      const before = sizes()
      return eventually(`all of ${name} live`, () => sizes().every((size, index) => size > (before[index] ?? 0)))
    }),
    /** The members whose files still grow, watched for a while. */
    survivors: Effect.gen(function* () {
      const before = sizes()
      yield* pause(300)
      return members.filter((_, index) => before[index] !== sizes()[index])
    }),
  }
}

const endOrphans = (commandId: string) =>
  Effect.gen(function* () {
    const { endOrphans } = yield* Shell
    if (endOrphans === undefined) throw new Error("this leaf ends no orphans")
    return yield* endOrphans(commandId, { grace: "300 millis" })
  })

const Answer = Schema.Struct({
  orphans: Schema.Boolean,
  report: Schema.optionalKey(Schema.Struct({
    ended: Schema.Int,
    pids: Schema.Array(Schema.Int),
    survivors: Schema.Array(Schema.Int),
  })),
  reason: Schema.optionalKey(FaultReason.FaultReason),
})

const askedElsewhere = (commandId: string, options?: ScriptOptions) =>
  Effect.promise(() =>
    scriptAnswer(Answer, new URL("./end/endOrphans.fixture.ts", import.meta.url), [commandId], options)
  )

describe.runIf(process.platform === "linux")("what is left of a command whose host was killed", () => {
  it.live("is found by the command's id alone and ended, and no other process is", () =>
    Effect.gen(function* () {
      const files = yield* workshop
      const lost = familyIn(files, "lost", allMembers)
      const other = familyIn(files, "other", ["child", "escapee"])
      const mine = familyIn(files, "mine", ["child", "escapee"])
      const namesake = familyIn(files, "namesake", ["child", "orphan"])
      // As long as an id may be, with all that stands between markers.
      const commandId = `a:b.c=:sluice-${crypto.randomUUID()}`.padEnd(200, ":x.")
      const otherId = CommandId.make()
      const host = yield* hostOf([lost.exec(commandId), other.exec(otherId)])
      // Runs of this process, one of them with the same id, which no caller should reuse.
      const running = yield* Effect.forEach(
        [mine.exec(CommandId.make()), namesake.exec(commandId)],
        (exec) => Effect.forkChild(Stream.runDrain(Shell.exec(exec))),
      )
      const all = [lost, other, mine, namesake]
      yield* eventually("all processes run", () => all.every((each) => each.allRun()))
      yield* kill(host)
      // The sleeper's child runs, but the shell over it is stopped.
      yield* lost.live

      const { ended, survivors: left, pids } = yield* endOrphans(commandId)
      expect(left).toEqual([])
      expect(pids.length).toBe(ended)
      // At least the one that was started and one process for each member.
      expect(ended).toBeGreaterThan(allMembers.length)
      expect(yield* lost.survivors).toEqual([])
      for (const each of [other, mine, namesake]) yield* each.live
      expect(yield* endOrphans(commandId)).toEqual({ ended: 0, pids: [], survivors: [] })

      expect((yield* endOrphans(otherId)).survivors).toEqual([])
      expect(yield* other.survivors).toEqual([])
      for (const fiber of running) yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("includes nested runs and their host", () =>
    Effect.gen(function* () {
      const files = yield* workshop
      const inner = familyIn(files, "inner", ["child", "stubborn", "orphan"])
      const [program = "", ...args] = script(hostFile, encode(inner.exec(CommandId.make())))
      const commandId = CommandId.make()
      const host = yield* hostOf([ShellExec.make(program, args, { commandId })])
      yield* eventually("all processes run", inner.allRun)
      yield* kill(host)
      expect((yield* endOrphans(commandId)).ended).toBeGreaterThan(3)
      expect(yield* inner.survivors).toEqual([])
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("is not ended by one of its own processes", () =>
    Effect.gen(function* () {
      const commandId = CommandId.make()
      const [program = "", ...args] = script(here("./end/endOrphans.fixture.ts"), commandId)
      const { exitCode, stdout } = yield* Shell.run(ShellExec.make(program, args, { commandId }))
      expect([exitCode, JSON.parse(stdout)]).toEqual([
        0,
        { orphans: true, reason: { _tag: "NotAllowed", policy: "orphans" } },
      ])
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("is ended completely even if its caller is interrupted", () =>
    Effect.gen(function* () {
      const files = yield* workshop
      const lost = familyIn(files, "lost", ["child", "stubborn", "orphan"])
      const commandId = CommandId.make()
      const host = yield* hostOf([lost.exec(commandId)])
      yield* eventually("all processes run", lost.allRun)
      yield* kill(host)
      const ending = yield* Effect.forkChild(endOrphans(commandId))
      yield* pause(30)
      yield* Fiber.interrupt(ending)
      expect(yield* lost.survivors).toEqual([])
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live.runIf(process.getuid?.() === 0)(
    "is ended by its own user or by root, and not seen by others",
    () =>
      Effect.gen(function* () {
        const files = yield* workshop
        chmodSync(files.directory, 0o755)
        const [roots, nobodys] = [familyIn(files, "root", ["orphan"]), familyIn(files, "nobody", ["child", "orphan"])]
        const [rootsId, nobodysId] = [CommandId.make(), CommandId.make()]
        const hosts = [yield* hostOf([roots.exec(rootsId)]), yield* hostOf([nobodys.exec(nobodysId)], asNobody)]
        yield* eventually("all processes run", () => roots.allRun() && nobodys.allRun())
        for (const host of hosts) yield* kill(host)
        expect((yield* askedElsewhere(rootsId, { before: asNobody })).report).toEqual({
          ended: 0,
          pids: [],
          survivors: [],
        })
        expect((yield* askedElsewhere(nobodysId, { before: asNobody })).report?.ended).toBeGreaterThan(1)
        expect([yield* roots.survivors, yield* nobodys.survivors]).toEqual([["orphan"], []])
        expect((yield* endOrphans(rootsId)).survivors).toEqual([])
        expect(yield* roots.survivors).toEqual([])
      }).pipe(Effect.provide(LocalShell.layer)),
  )

  it.live.runIf(runtime === "deno")("is found with --allow-run=sh too, and not without", () =>
    Effect.gen(function* () {
      const files = yield* workshop
      const lost = familyIn(files, "lost", ["child", "stubborn", "orphan"])
      const commandId = CommandId.make()
      const host = yield* hostOf([lost.exec(commandId)])
      yield* eventually("all processes run", lost.allRun)
      yield* kill(host)
      expect(yield* askedElsewhere(commandId, { permissions: ["--allow-run=git"] })).toEqual({ orphans: false })
      expect(yield* lost.survivors).toEqual(["child", "stubborn", "orphan"])
      const { report } = yield* askedElsewhere(commandId, { permissions: ["--allow-run=sh"] })
      expect(report?.survivors).toEqual([])
      expect(report?.ended).toBeGreaterThan(3)
      expect(yield* lost.survivors).toEqual([])
    }))
})
