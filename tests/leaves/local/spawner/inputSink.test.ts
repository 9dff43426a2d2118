import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as PlatformError from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { inputSink, type InputSinkOptions } from "../../../../src/leaves/local/spawner/inputSink.ts"

const broken = PlatformError.badArgument({ module: "Test", method: "broken" })
const cut = PlatformError.badArgument({ module: "Test", method: "cut" })

/** A writer that keeps what it is given, as long as it takes anything. */
const setUp = (options: Partial<InputSinkOptions> = {}) => {
  const written: Array<string> = []
  let ends = 0
  let pending = 0
  const sink = inputSink({
    writer: {
      write: async (bytes) => {
        expect(pending++).toBe(0)
        await Promise.resolve()
        pending--
        const text = new TextDecoder("latin1").decode(bytes)
        if (text === "broken") return false
        written.push(text)
        return true
      },
      end: () => {
        ends++
        return Promise.resolve()
      },
    },
    endOnDone: true,
    encoding: "utf-8",
    exited: Effect.never,
    onBroken: () => broken,
    onCut: () => cut,
    ...options,
  })
  return { written, sink, ends: () => ends }
}

it.effect("writes one piece after the other, and closes", () =>
  Effect.gen(function* () {
    const { ends, sink, written } = setUp()
    yield* Stream.run(Stream.make("a", "b", "", "c"), sink)
    expect([written, ends()]).toEqual([["a", "b", "c"], 1])
  }))

it.effect("writes text in the given encoding, and bytes unchanged", () =>
  Effect.gen(function* () {
    const { sink, written } = setUp({ encoding: "hex" })
    yield* Stream.run(Stream.make("4142", new Uint8Array([67])), sink)
    expect(written).toEqual(["AB", "C"])
  }))

it.effect("stays open if configured: after the input, a failure or an interruption", () =>
  Effect.gen(function* () {
    const { ends, sink, written } = setUp({ endOnDone: false })
    yield* Stream.run(Stream.make("a"), sink)
    expect(yield* Effect.flip(Stream.run(Stream.make("broken", "b"), sink))).toBe(broken)
    const waiting = yield* Effect.forkChild(Stream.run(Stream.never, sink), { startImmediately: true })
    yield* Fiber.interrupt(waiting)
    expect([written, ends()]).toEqual([["a"], 0])
  }))

it.effect("closes without a reader, when the input fails, when it is interrupted", () =>
  Effect.gen(function* () {
    const [first, second, third] = [setUp(), setUp(), setUp()]
    expect(yield* Effect.flip(Stream.run(Stream.make("broken", "b"), first.sink))).toBe(broken)
    expect(yield* Effect.flip(Stream.run(Stream.fail("input"), second.sink))).toBe("input")
    const waiting = yield* Effect.forkChild(Stream.run(Stream.never, third.sink), { startImmediately: true })
    yield* Fiber.interrupt(waiting)
    expect([first.ends(), second.ends(), third.ends(), first.written]).toEqual([1, 1, 1, []])
  }))

it.effect("fails when the process ends while there may be more to write", () =>
  Effect.gen(function* () {
    const { ends, sink, written } = setUp({ exited: Effect.yieldNow })
    expect(yield* Effect.flip(Stream.run(Stream.concat(Stream.make("a"), Stream.never), sink))).toBe(cut)
    expect([written, ends()]).toEqual([["a"], 1])
  }))
