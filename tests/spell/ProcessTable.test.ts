import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import * as MockRun from "../../src/leaves/mock/MockRun.ts"
import { MockShell } from "../../src/leaves/mock/MockShell.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { ProcessTable, type ProcessTableOptions, Spellbook, startProcess } from "../../src/spell/mod.ts"
import { eventually, pause } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"

const mock = MockShell.layer([
  MockShell.on("hang", MockRun.hang),
  MockShell.on("flood", MockRun.forever(MockRun.stdout("0123456789\n"), MockRun.wait("1 second"))),
  MockShell.on("late", [MockRun.wait("1 minute"), MockRun.stdout("done\n")]),
  MockShell.on("killed", MockRun.exitBy("SIGKILL")),
])

const withTable = (options: ProcessTableOptions = {}) => Layer.merge(mock, ProcessTable.layerWith(options))

const start = (command: string, { hasInput = false, key = command }: { hasInput?: boolean; key?: string } = {}) =>
  Effect.gen(function* () {
    const table = yield* ProcessTable
    return yield* table.start({ shell: yield* Shell, exec: ShellExec.make(command), key, hasInput })
  })

const read = (id: string, wait: Duration.Input = 0, position = 0) =>
  Effect.flatMap(
    ProcessTable,
    (table) => table.read(id, { position, maxLength: 1_000, wait: Duration.fromInputUnsafe(wait) }),
  )

describe("a process table", () => {
  it.effect("starts no more processes than its limit, and frees a slot when one ends", () =>
    Effect.gen(function* () {
      const first = yield* start("hang")
      const second = yield* start("hang")
      expect(second).not.toBe(first)
      const error = yield* Effect.flip(start("hang"))
      expect(error).toMatchObject({ _tag: "ProcessTableError", reason: { _tag: "TooMany" } })
      expect(error.message).toContain(first)
      yield* (yield* ProcessTable).stop(first)
      expect(yield* start("hang")).not.toBe(first)
    }).pipe(Effect.provide(withTable({ maxProcesses: 2 }))))

  it.live("has a free place after each call that was cancelled, whenever that was", () =>
    Effect.gen(function* () {
      const book = Spellbook.make(startProcess)
      for (let steps = 0; steps < 150; steps++) {
        const cast = yield* Effect.forkChild(
          Spellbook.cast(book, "start_process", { command: "hang", waitSeconds: 60 }),
        )
        for (let step = 0; step < steps % 50; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(cast)
      }
      yield* start("hang")
      yield* start("hang")
      expect(yield* Effect.flip(start("hang"))).toMatchObject({ reason: { _tag: "TooMany" } })
    }).pipe(Effect.provide(withTable({ maxProcesses: 2 }))))

  it.effect("has a free place after each start that was interrupted before its process was there", () =>
    Effect.gen(function* () {
      for (let count = 0; count < 50; count++) {
        const starting = yield* Effect.forkChild(start("hang", { hasInput: true }), { startImmediately: count % 2 > 0 })
        yield* Fiber.interrupt(starting)
      }
      yield* start("hang")
    }).pipe(Effect.provide(withTable({ maxProcesses: 1 }))))

  it.effect("refuses input that is too long, or comes after its end", () =>
    Effect.gen(function* () {
      const table = yield* ProcessTable
      const id = yield* start("hang", { hasInput: true })
      const long = yield* Effect.flip(table.write(id, "x".repeat(2_000_000), false))
      expect([long.reason._tag, long.message]).toEqual(["InputFull", expect.stringContaining("write it in parts")])
      yield* table.write(id, "last", true)
      expect((yield* Effect.flip(table.write(id, "more", false))).message).toContain("is closed already")
    }).pipe(Effect.provide(withTable())))

  it.effect("drops the oldest outputs, and never a process that runs", () =>
    Effect.gen(function* () {
      const table = yield* ProcessTable
      const running = yield* start("hang")
      const [first, , , last] = yield* Effect.forEach(["a", "b", "c", "d"], (text) => table.keep(text, text))
      expect(yield* Effect.flip(read(first ?? ""))).toMatchObject({ reason: { _tag: "UnknownId" } })
      expect(yield* read(last ?? "")).toMatchObject({ output: "d", isRunning: false, hasMore: false })
      expect(yield* read(running)).toMatchObject({ isRunning: true })
    }).pipe(Effect.provide(withTable({ maxOutputs: 3 }))))

  it.effect("keeps the end of an endless output", () =>
    Effect.gen(function* () {
      const id = yield* start("flood")
      yield* TestClock.adjust("1 hour")
      const page = yield* read(id)
      expect(page.omitted).toBeGreaterThan(30_000)
      expect(page.output.length).toBeLessThanOrEqual(100)
      expect(page.output.endsWith("0123456789\n")).toBe(true)
      expect(page.isRunning).toBe(true)
    }).pipe(Effect.provide(withTable({ maxOutputLength: 100 }))))

  it.effect("waits for output as long as requested, and no longer", () =>
    Effect.gen(function* () {
      const id = yield* start("late")
      const short = yield* Effect.forkChild(read(id, "10 seconds"))
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(short)).toMatchObject({ output: "", isRunning: true })
      const long = yield* Effect.forkChild(read(id, "1 hour"))
      yield* TestClock.adjust("50 seconds")
      expect(yield* Fiber.join(long)).toMatchObject({ output: "done\n" })
    }).pipe(Effect.provide(withTable())))

  it.effect("says how a process ended", () =>
    Effect.gen(function* () {
      const id = yield* start("killed")
      expect(yield* read(id, "1 minute")).toMatchObject({ isRunning: false, ended: "ended by SIGKILL", exitCode: 137 })
    }).pipe(Effect.provide(withTable())))

  it.effect("starts nothing during or after its end", () =>
    Effect.gen(function* () {
      const shell = yield* Shell
      const scope = yield* Scope.make()
      const table = Context.get(yield* Layer.buildWithScope(ProcessTable.layer, scope), ProcessTable)
      let runs = 0
      const slow = {
        ...shell,
        exec: () => {
          runs++
          return Stream.never
        },
      }
      const options = { shell: slow, exec: ShellExec.make("hang"), key: "k", hasInput: false }
      const starting = yield* Effect.forkChild(Effect.flip(table.start(options)), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      const closed = {
        _tag: "ProcessTableError",
        reason: { _tag: "Closed" },
        message: expect.stringContaining("continue without"),
      }
      expect(yield* Fiber.join(starting)).toMatchObject(closed)
      expect(yield* Effect.flip(table.start(options))).toMatchObject(closed)
      expect(runs).toBe(1)
      const cast = Spellbook.cast(Spellbook.make(startProcess), "start_process", { command: "hang" })
      const fault = yield* Effect.flip(Effect.provideService(cast, ProcessTable, table))
      expect(fault).toMatchObject({ faultKind: "Failed", failure: { reason: { _tag: "Closed" } } })
    }).pipe(Effect.provide(mock)))

  it.effect("refuses limits that are not counts", () =>
    Effect.gen(function* () {
      const failed = Effect.flip(Effect.provide(Effect.void, ProcessTable.layerWith({ maxProcesses: -1 })))
      expect(yield* failed).toMatchObject({ _tag: "OptionError", option: "maxProcesses" })
    }))

  it.skipIf(process.platform === "win32")("refuses input that a process does not read", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const table = yield* ProcessTable
        const shell = yield* Shell
        const exec = ShellExec.make("sleep", ["600"])
        const closed = yield* table.start({ shell, exec, key: "closed", hasInput: false })
        expect(yield* Effect.flip(table.write(closed, "x", false))).toMatchObject({ reason: { _tag: "NoInput" } })
        const id = yield* table.start({ shell, exec, key: "open", hasInput: true })
        // The pipe takes some, and the table some more.
        const writes = Effect.forever(table.write(id, "x".repeat(100_000), false))
        expect(yield* Effect.flip(writes)).toMatchObject({ reason: { _tag: "InputFull" } })
      }).pipe(Effect.provide(Layer.merge(LocalShell.layer, ProcessTable.layer))),
    ))

  it.skipIf(process.platform === "win32")(
    "ends its processes, with all that they started, with its scope",
    () =>
      Effect.runPromise(Effect.scoped(Effect.gen(function* () {
        const { path, size } = yield* workshop
        const beat = path("beat")
        const inner = Effect.gen(function* () {
          const table = yield* ProcessTable
          // A child of a child: the shell waits for it.
          const exec = ShellExec.shell(`(${heartbeat(beat)}) & wait`)
          yield* table.start({ shell: yield* Shell, exec, key: "beat", hasInput: false })
          yield* eventually("the process beats", () => size("beat") > 3)
        })
        yield* Effect.provide(inner, Layer.merge(LocalShell.layer, ProcessTable.layer))
        const then = size("beat")
        yield* pause(200)
        expect(size("beat")).toBe(then)
      }))),
  )
})
