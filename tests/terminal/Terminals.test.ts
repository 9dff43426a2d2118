import { describe, expect, it } from "@effect/vitest"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { Terminals } from "@sluice/shell/terminal"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { eventually } from "../support/eventually.ts"
import { isAlive } from "../host/terminal/isAlive.ts"
import { openMasters } from "../host/terminal/openMasters.ts"

const shell = LocalShell.layerWith({ grace: "1 second", maxConcurrency: 64 })
const plain = Layer.succeed(
  Shell,
  Shell.make({ exec: () => Stream.never, bytes: () => Stream.never, capabilities: { leaf: "plain" } }),
)
const cat = (commandId: string) => ShellExec.make("cat", [], { commandId })

describe("Terminals", { concurrent: true }, () => {
  it.live("keeps a session for clients that come and go, several at once", () =>
    Effect.gen(function* () {
      const terminals = yield* Terminals
      const opened = yield* terminals.open(cat("t1"))
      const firstClient = yield* Effect.forkScoped(
        opened.attach().pipe(
          Stream.takeUntil((event) => "content" in event && event.content.includes("two")),
          Stream.runCollect,
        ),
      )
      const session = yield* terminals.get("t1")
      yield* session.write("one\n")
      yield* session.waitFor("one\none")
      const [snapshot] = yield* session.attach().pipe(Stream.take(1), Stream.runCollect)
      expect(snapshot).toMatchObject({ _tag: "TerminalSnapshot", lost: 0, content: expect.stringContaining("one") })
      expect(yield* terminals.list).toMatchObject([{ id: "t1", command: "cat", ended: false, clients: 1, cols: 80 }])
      yield* session.write("two\n")
      const events = yield* Fiber.join(firstClient)
      expect(events.map((event) => "content" in event ? event.content : "").join("")).toMatch(/one[^]*two/)
      const { pid } = yield* session.info
      yield* terminals.close("t1")
      expect(isAlive(pid)).toBe(false)
      expect((yield* Effect.flip(terminals.get("t1"))).reason).toEqual({ _tag: "NotFound", id: "t1" })
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(Terminals.layer, shell))))

  it.live("opens no more sessions than its limit, and each id once", () =>
    Effect.gen(function* () {
      yield* Terminals.open(cat("a"))
      expect(yield* Effect.flip(Terminals.open(cat("a")))).toMatchObject({
        reason: { _tag: "InvalidArgument", argument: "commandId" },
      })
      const second = yield* Terminals.open(cat("b"))
      expect(yield* Effect.flip(Terminals.open(cat("c")))).toMatchObject({
        reason: { _tag: "TooManySessions", maxSessions: 2 },
      })
      // One that has ended is listed for a while, and takes no place.
      yield* second.sendKeys("Ctrl-D")
      yield* second.exit
      yield* Terminals.open(cat("c"))
      expect((yield* Terminals.list).map(({ ended, id }) => [id, ended])).toEqual([["a", false], ["b", true], [
        "c",
        false,
      ]])
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(Terminals.layerWith({ maxSessions: 2 }), shell))))

  it.live("ends a session that is idle, unless a client reads it", () =>
    Effect.gen(function* () {
      const idle = yield* Terminals.open(cat("idle"))
      const read = yield* Terminals.open(cat("read"))
      yield* Effect.forkScoped(Stream.runDrain(read.attach()), { startImmediately: true })
      expect(yield* Effect.flip(idle.exit)).toMatchObject({ reason: { _tag: "Cancelled" } })
      yield* eventually("the session has ended", () => Effect.runSync(Effect.map(idle.info, ({ ended }) => ended)))
      expect((yield* read.info).ended).toBe(false)
      const { list } = yield* Terminals
      yield* eventually("the ended one is removed", () => Effect.runSync(list).length === 1)
      expect((yield* list).map(({ id }) => id)).toEqual(["read"])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.provide(Terminals.layerWith({ idleTimeout: "1 second", endedRetention: "50 millis" }), shell),
      ),
    ))

  it.effect("a leaf without terminals refuses them", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(Terminals.open(cat("m")))
      expect(fault).toMatchObject({
        _tag: "ShellFault",
        reason: { _tag: "InvalidRequest", field: "terminal", code: "ENOTSUP" },
      })
    }).pipe(Effect.provide(Layer.provide(Terminals.layer, plain))))

  it.effect("refuses an option that is unknown or out of its range", () =>
    Effect.gen(function* () {
      const build = (options: object) =>
        Effect.flip(Effect.scoped(Layer.build(Layer.provide(Terminals.layerWith(options), shell))))
      expect(yield* build({ maxSession: 1 })).toMatchObject({ _tag: "OptionError", option: "maxSession" })
      expect(yield* build({ maxSessions: 0 })).toMatchObject({ _tag: "OptionError", option: "maxSessions" })
    }))
})

// Not beside the others, which open terminals of this process.
it.live("ends all sessions with its scope, and leaves no terminal", () =>
  Effect.gen(function* () {
    const before = openMasters()
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Layer.provide(Terminals.layer, shell), scope)
    const pids = yield* Effect.forEach(["x", "y", "z"], (id) =>
      Effect.gen(function* () {
        const session = yield* Terminals.open(cat(`${id}-${process.pid}`))
        return (yield* session.info).pid
      })).pipe(Effect.provideContext(context))
    expect(pids.map(isAlive)).toEqual([true, true, true])
    yield* Scope.close(scope, Exit.void)
    expect(pids.map(isAlive)).toEqual([false, false, false])
    // On Bun two descriptors were once seen open right after the end of their processes.
    yield* eventually("the terminals are closed", () => openMasters().length === before.length)
  }))

it.live("keeps a session that has the id of a closed one, whose retention ends", () =>
  Effect.gen(function* () {
    const id = `again-${process.pid}`
    yield* Terminals.open(cat(id))
    yield* Terminals.close(id)
    const second = yield* Terminals.open(cat(id))
    yield* Effect.sleep("300 millis")
    expect(yield* Terminals.get(id)).toBe(second)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.provide(Terminals.layerWith({ endedRetention: "50 millis" }), shell)),
  ))
