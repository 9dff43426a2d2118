import { expect, it } from "@effect/vitest"
import { type ShellOutputChunk, Window } from "@sluice/shell"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { chunk, contents, end, type Event } from "./support.ts"

/** Events as they come: each after so many milliseconds of waiting. */
const timed = (...events: ReadonlyArray<readonly [wait: number, event: Event]>): Stream.Stream<Event> =>
  Stream.fromIterable(events).pipe(
    Stream.rechunk(1),
    Stream.mapEffect(([wait, event]) => Effect.as(Effect.sleep(wait), event)),
  )

/** A clock that is another one but for how it sleeps. */
const clockWith = (clock: Clock.Clock, around: (sleep: Effect.Effect<void>) => Effect.Effect<void>): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => around(clock.sleep(duration)),
})

/** What came out, and when, in milliseconds of the test's clock. */
const watch = <A extends { readonly _tag: string }, E>(stream: Stream.Stream<A, E>, busy = 0) => {
  const seen: Array<string> = []
  const run = stream.pipe(
    Stream.runForEach((event) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        seen.push(`${now}:${contents([event]).join()}`)
        return busy === 0 ? Effect.void : Effect.sleep(busy)
      })
    ),
  )
  return { seen, run }
}

it.effect("silence ends a window by the clock, not by the next chunk", () =>
  Effect.gen(function* () {
    const output = Stream.concat(timed([0, chunk(0, "question? ")]), Stream.never)
    const { run, seen } = watch(Window.apply(output, Window.silence(100)))
    yield* Effect.forkChild(run, { startImmediately: true })
    yield* TestClock.adjust(99)
    expect(seen).toEqual([])
    yield* TestClock.adjust(1)
    expect(seen).toEqual(["100:question? "])
  }))

it.effect("the read that was under way when silence fell is not lost: its chunk is the next one", () =>
  Effect.gen(function* () {
    const output = timed([0, chunk(0, "a")], [250, chunk(1, "b")], [99, chunk(2, "c")], [1000, end()])
    const { run, seen } = watch(Window.apply(output, Window.silence("100 millis")))
    const fiber = yield* Effect.forkChild(run)
    yield* TestClock.adjust(2000)
    yield* Fiber.join(fiber)
    expect(seen).toEqual(["100:a", "449:bc", "1349:<ShellOutput>"])
  }))

it.effect("every chunk restarts the silence, and one timer serves them all", () =>
  Effect.gen(function* () {
    const sleeps = yield* Ref.make(0)
    const clock = yield* Clock.Clock
    const counting = clockWith(clock, (sleep) => Effect.andThen(Ref.update(sleeps, (n) => n + 1), sleep))
    const queue = yield* Queue.bounded<ShellOutputChunk>(1)
    const { run, seen } = watch(Window.apply(Stream.fromQueue(queue), Window.silence(100)))
    yield* Effect.forkChild(Effect.provideService(run, Clock.Clock, counting))
    for (let seq = 0; seq < 500; seq++) {
      yield* Queue.offer(queue, chunk(seq, "."))
      yield* TestClock.adjust(1)
    }
    expect(seen).toEqual([])
    yield* TestClock.adjust(100)
    expect(seen).toEqual([`599:${".".repeat(500)}`])
    // A timer that is set for each chunk would have slept 500 times.
    expect(yield* Ref.get(sleeps)).toBeLessThan(10)
  }))

it.effect("with the streams apart each has its own silence; joined they have one", () =>
  Effect.gen(function* () {
    const output = Stream.concat(
      timed([0, chunk(0, "o")], [60, chunk(1, "e", "stderr")], [60, chunk(2, "f", "stderr")]),
      Stream.never,
    )
    const apart = watch(Window.apply(output, Window.silence(100)))
    const joined = watch(Window.apply(output, Window.silence(100), { join: true }))
    yield* Effect.forkChild(apart.run)
    yield* Effect.forkChild(joined.run)
    yield* TestClock.adjust(1000)
    expect(apart.seen).toEqual(["100:o", "220:ef"])
    expect(joined.seen).toEqual(["220:oef"])
  }))

it.effect("any(lines, silence) emits full windows at once and the rest after the silence", () =>
  Effect.gen(function* () {
    const policy = Window.any(Window.lineCount(2), Window.silence(100))
    const output = timed([0, chunk(0, "1\n2\n3\n")], [50, chunk(1, "4")], [30, chunk(2, "\n5")], [500, end()])
    const { run, seen } = watch(Window.apply(output, policy))
    yield* Effect.forkChild(run)
    yield* TestClock.adjust(1000)
    expect(seen).toEqual(["0:1\n2\n", "80:3\n4\n", "180:5", "580:<ShellOutput>"])
  }))

it.effect("after a silence inside a line, the line's rest is not taken for a blank line", () =>
  Effect.gen(function* () {
    const policy = Window.any(Window.paragraph, Window.silence(100))
    const output = timed([0, chunk(0, "name: ")], [200, chunk(1, "\nnext\n\nlast")], [0, end()])
    const { run, seen } = watch(Window.apply(output, policy))
    yield* Effect.forkChild(run)
    yield* TestClock.adjust(1000)
    expect(seen).toEqual(["100:name: ", "200:\nnext\n\n", "200:last", "200:<ShellOutput>"])
  }))

it.effect("half a character waits for its other half through a silence", () =>
  Effect.gen(function* () {
    const output = timed([0, chunk(0, "a\ud83d")], [300, chunk(1, "\ude00")], [300, chunk(2, "\ud83d")], [300, end()])
    const { run, seen } = watch(Window.apply(output, Window.silence(100)))
    yield* Effect.forkChild(run)
    yield* TestClock.adjust(1000)
    expect(seen).toEqual(["100:a", "400:😀", "900:\ud83d", "900:<ShellOutput>"])
  }))

it.effect("a consumer that is slow to ask does not make a busy command look silent", () =>
  Effect.gen(function* () {
    // Gives the next chunk 10 ms after it is asked; each completes a window and begins another.
    const output = timed(
      ...Array.from({ length: 10 }, (_, seq) => [10, chunk(seq, seq === 0 ? "0" : `\n${seq}`)] as const),
    )
    const slow = output.pipe(Window.apply(Window.any(Window.lineCount(1), Window.silence(100))))
    const { run, seen } = watch(slow, 1000)
    yield* Effect.forkChild(run)
    yield* TestClock.adjust(20_000)
    expect(seen.map((line) => line.slice(line.indexOf(":") + 1))).toEqual([
      ...Array.from({ length: 9 }, (_, seq) => `${seq}\n`),
      "9",
    ])
  }))

it.effect("a fault after a silence still flushes the text between them", () =>
  Effect.gen(function* () {
    const output = Stream.concat(timed([0, chunk(0, "a")], [200, chunk(1, "b")]), Stream.fail("fault"))
    const { run, seen } = watch(Window.apply(output, Window.silence(100)))
    const fiber = yield* Effect.forkChild(Effect.exit(run))
    yield* TestClock.adjust(1000)
    expect(yield* Fiber.join(fiber)).toEqual(Exit.fail("fault"))
    expect(seen).toEqual(["100:a", "200:b"])
  }))

it.effect("a consumer that stops after a silence ends the read under way, and only then the command", () =>
  Effect.gen(function* () {
    const log: Array<string> = []
    const stuck = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => log.push("read ended"))))
    const output = Stream.unwrap(Effect.acquireRelease(
      Effect.succeed(Stream.concat(Stream.make(chunk(0, "a")), Stream.fromEffect(stuck))),
      () => Effect.sync(() => log.push("released")),
    ))
    const fiber = yield* output.pipe(
      Window.apply(Window.silence(100)),
      Stream.take(1),
      Stream.runCollect,
      Effect.forkChild,
    )
    yield* TestClock.adjust(100)
    expect(contents(yield* Fiber.join(fiber))).toEqual(["a"])
    expect(log).toEqual(["read ended", "released"])
  }))

it.effect("a consumer that is interrupted while it waits, and pulls again, misses nothing", () =>
  Effect.scoped(Effect.gen(function* () {
    const queue = yield* Queue.bounded<ShellOutputChunk, Cause.Done>(1)
    const policy = Window.any(Window.lineCount(1), Window.silence(100))
    const pull = yield* Stream.toPull(Window.apply(Stream.fromQueue(queue), policy))
    yield* Queue.offer(queue, chunk(0, "a"))
    const first = yield* Effect.forkChild(pull)
    yield* TestClock.adjust(50)
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust(1)
    yield* Queue.offer(queue, chunk(1, "b\nc"))
    expect(contents(yield* pull)).toEqual(["ab\n"])
    const second = yield* Effect.forkChild(pull)
    yield* TestClock.adjust(100)
    expect(contents(yield* Fiber.join(second))).toEqual(["c"])
  })))

it.effect("no timer outlives the stream, even if its scope stays open", () =>
  Effect.gen(function* () {
    const sleeping = yield* Ref.make(0)
    const clock = yield* Clock.Clock
    const queue = yield* Queue.bounded<ShellOutputChunk, Cause.Done>(1)
    const counting = clockWith(
      clock,
      (sleep) =>
        Effect.andThen(Ref.update(sleeping, (n) => n + 1), sleep).pipe(
          Effect.ensuring(Ref.update(sleeping, (n) => n - 1)),
        ),
    )
    const first = Window.apply(Stream.fromQueue(queue), Window.silence("1 hour"))
    const { run, seen } = watch(Stream.concat(first, Stream.never))
    yield* Effect.forkChild(Effect.provideService(run, Clock.Clock, counting))
    yield* Queue.offer(queue, chunk(0, "a"))
    yield* TestClock.adjust(1)
    expect(yield* Ref.get(sleeping)).toBe(1)
    yield* Queue.end(queue)
    yield* TestClock.adjust(1)
    expect(seen).toEqual(["1:a"])
    expect(yield* Ref.get(sleeping)).toBe(0)
  }))
