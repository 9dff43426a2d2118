/** Tests which processes hold a slot of the concurrency limit. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { SharedSlot } from "../../src/shell/SharedSlot.ts"
import { eventually, pause } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"

const one = Effect.provide(LocalShell.layerWith({ maxConcurrency: 1 }))

it.live("a process that is blocked by unread output keeps its slot", () =>
  Effect.gen(function* () {
    const full = ShellExec.make("head", ["-c", "2000000", "/dev/zero"])
    const inner = Shell.run(ShellExec.make("true", [], { timeout: "100 millis" }))
    const fault = yield* Effect.flip(
      Shell.bytes(full).pipe(Stream.mapEffect(() => inner), Stream.runDrain),
    )
    expect(fault.reason).toEqual({ _tag: "Timeout", kind: "queue", afterMillis: 100 })
    expect(fault.message).toContain("1 slots of the leaf (maxConcurrency)")
  }).pipe(one))

it.live("the output of an ended process stays in its pipes until it is read", () =>
  Effect.gen(function* () {
    const exec = ShellExec.make("head", ["-c", "60000", "/dev/zero"])
    const sizes = yield* Shell.bytes(exec).pipe(
      Stream.mapEffect((event) =>
        event._tag === "ShellBytes"
          ? Effect.as(Effect.andThen(Shell.run(ShellExec.make("true")), pause(50)), event.bytes.length)
          : Effect.succeed(0)
      ),
      Stream.runCollect,
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60_000)
  }).pipe(one))

it.live("a pipeline keeps its slot until the last of its processes has ended", () =>
  Effect.gen(function* () {
    const { exists, path, write } = yield* workshop
    const last = ShellExec.make("sh", [
      "-c",
      `touch "$0"; while [ ! -e "$1" ]; do sleep 0.01; done`,
      path("in"),
      path("go"),
    ])
    const pipeline = yield* Effect.forkChild(
      Stream.runDrain(Shell.pipeline([ShellExec.make("true"), last])),
    )
    yield* eventually("the last stage runs", () => exists("in"))
    const fault = yield* Effect.flip(Shell.run(ShellExec.make("true", [], { timeout: "100 millis" })))
    expect(fault.reason).toMatchObject({ _tag: "Timeout", kind: "queue" })
    write("go", "")
    yield* Fiber.join(pipeline)
    expect((yield* Shell.run(ShellExec.make("true", [], { timeout: "5 seconds" }))).exitCode).toBe(0)
  }).pipe(one))

it.live("a pipeline releases its slot when one of its stages cannot be started", () =>
  Effect.gen(function* () {
    const [good, bad] = [ShellExec.make("true"), ShellExec.make("no-such-program")]
    for (const stages of [[good, bad], [bad, good]] as const) {
      yield* Effect.flip(Stream.runDrain(Shell.pipeline(stages)))
      expect((yield* Shell.run(ShellExec.make("true", [], { timeout: "5 seconds" }))).exitCode).toBe(0)
    }
  }).pipe(one))

it("a shared slot is released once, also when it is acquired after all processes have ended", () => {
  let given = 0
  const count = () => void given++
  const early = new SharedSlot(2)
  early.leave()
  early.leave()
  expect(given).toBe(0)
  early.take(count)
  expect(given).toBe(1)
  const closed = new SharedSlot(2)
  closed.take(count)
  closed.close()
  closed.leave()
  closed.close()
  expect(given).toBe(2)
})
