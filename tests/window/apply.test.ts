import { expect, it } from "@effect/vitest"
import { type ShellFault, type ShellOutput, type ShellOutputChunk, type ShellOutputWindow, Window } from "@sluice/shell"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import { OptionError } from "../../src/base/OptionError.ts"
import { chunk, chunks, contents, end, type Event, isWindow } from "./support.ts"

const collect = <A, E>(stream: Stream.Stream<A, E>): Effect.Effect<ReadonlyArray<A>, E> => Stream.runCollect(stream)

it.effect("a window has its command, its chunks and their times", () =>
  Effect.gen(function* () {
    const windows = yield* Stream.make(chunk(3, "a\nb"), chunk(5, ""), chunk(6, "b\n"), chunk(8, "c"), end()).pipe(
      Window.apply(Window.lineCount(2)),
      collect,
    )
    expect(windows).toEqual([
      {
        _tag: "Window",
        commandId: "c",
        stream: "stdout",
        content: "a\nbb\n",
        fromSeq: 3,
        toSeq: 6,
        fromTime: 1003,
        toTime: 1006,
      },
      {
        _tag: "Window",
        commandId: "c",
        stream: "stdout",
        content: "c",
        fromSeq: 8,
        toSeq: 8,
        fromTime: 1008,
        toTime: 1008,
      },
      end(),
    ])
  }))

it.effect("the streams stay apart unless they are joined, and then the order of arrival is kept", () =>
  Effect.gen(function* () {
    const output = Stream.make(
      chunk(0, "o1\no"),
      chunk(1, "e1", "stderr"),
      chunk(2, "2\n"),
      chunk(3, "\n", "stderr"),
      end(),
    )
    const seen = (events: ReadonlyArray<ShellOutputWindow | ShellOutput>) =>
      events.filter(isWindow).map((w) => [w.stream, w.content, w.fromSeq, w.toSeq])
    expect(seen(yield* output.pipe(Window.apply(Window.lineCount(2)), collect))).toEqual([
      ["stdout", "o1\no2\n", 0, 2],
      ["stderr", "e1\n", 1, 3],
    ])
    expect(seen(yield* output.pipe(Window.apply(Window.lineCount(2), { join: true }), collect))).toEqual([
      ["both", "o1\noe12\n", 0, 2],
      ["both", "\n", 3, 3],
    ])
  }))

it.effect("held text is emitted before the ShellOutput, the older first", () =>
  Effect.gen(function* () {
    const output = Stream.make(chunk(0, "o"), chunk(1, "e", "stderr"), chunk(2, "o\n"), chunk(3, "O"), end())
    const events = yield* output.pipe(Window.apply(Window.lineCount(1)), collect)
    expect(contents(events)).toEqual(["oo\n", "e", "O", "<ShellOutput>"])
  }))

it.effect("several commands in one stream are never mixed, and each is flushed at its own end", () =>
  Effect.gen(function* () {
    const output = Stream.make(
      chunk(0, "a1", "stdout", "a"),
      chunk(0, "b1", "stdout", "b"),
      chunk(1, "a2", "stdout", "a"),
      end("a"),
      chunk(1, "b2", "stdout", "b"),
    )
    const events = yield* output.pipe(Window.apply(Window.finalOnly), collect)
    expect(events.map((event) => event.commandId)).toEqual(["a", "a", "b"])
    expect(contents(events)).toEqual(["a1a2", "<ShellOutput>", "b1b2"])
  }))

it.effect("a command id that is reused after its end starts without text of the earlier command", () =>
  Effect.gen(function* () {
    const output = Stream.make(chunk(0, "unfinished"), end(), chunk(0, "\n\nb"), end())
    const events = yield* output.pipe(Window.apply(Window.paragraph), collect)
    // Were the unfinished line remembered, the second newline would end a paragraph.
    expect(contents(events)).toEqual(["unfinished", "<ShellOutput>", "\n\nb", "<ShellOutput>"])
  }))

it.effect("other events pass through, in order", () =>
  Effect.gen(function* () {
    interface Resized {
      readonly _tag: "Resized"
      readonly columns: number
    }
    const resized = (columns: number): Resized => ({ _tag: "Resized", columns })
    const output: Stream.Stream<Event | Resized> = Stream.make(
      resized(1),
      chunk(0, "a\nb"),
      resized(2),
      end(),
      resized(3),
    )
    const windows = output.pipe(Window.apply(Window.lineCount(1)))
    expectTypeOf(windows).toEqualTypeOf<Stream.Stream<ShellOutputWindow | ShellOutput | Resized>>()
    expect(contents(yield* collect(windows))).toEqual([
      "<Resized>",
      "a\n",
      "<Resized>",
      "b",
      "<ShellOutput>",
      "<Resized>",
    ])
  }))

it("takes the stream first or last, and keeps its error and its requirements", () => {
  interface Needs {
    readonly needs: true
  }
  const events: Stream.Stream<Event, ShellFault, Needs> = Stream.fromIterable(chunks("a"))
  expectTypeOf(Window.apply(events, Window.paragraph)).toEqualTypeOf<
    Stream.Stream<ShellOutputWindow | ShellOutput, ShellFault, Needs>
  >()
  const output: Stream.Stream<ShellOutputChunk, ShellFault, Needs> = Stream.fromIterable(chunks("a"))
  expectTypeOf(output.pipe(Window.apply(Window.paragraph))).toEqualTypeOf<
    Stream.Stream<ShellOutputWindow, ShellFault, Needs>
  >()
  expectTypeOf(output.pipe(Window.apply(Window.paragraph, { join: true }))).toEqualTypeOf<
    Stream.Stream<ShellOutputWindow, ShellFault | OptionError, Needs>
  >()
})

it.effect("returns the same when the stream is the first argument", () =>
  Effect.gen(function* () {
    const output = Stream.fromIterable(chunks("a\n", "b\nc"))
    expect(contents(yield* collect(Window.apply(output, Window.lineCount(1))))).toEqual(["a\n", "b\n", "c"])
    expect((yield* collect(Window.apply(output, Window.finalOnly, { join: true })))[0]?.stream).toBe("both")
  }))

it.effect("on a fault the windows come first, then the fault, with or without a clock", () =>
  Effect.gen(function* () {
    for (const policy of [Window.finalOnly, Window.any(Window.lineCount(2), Window.silence("1 hour"))]) {
      const seen: Array<string> = []
      const output = Stream.concat(Stream.make(chunk(0, "1\n2\n3"), chunk(1, "e", "stderr")), Stream.fail("fault"))
      const exit = yield* output.pipe(
        Window.apply(policy),
        Stream.runForEach((event) => Effect.sync(() => seen.push(event.content))),
        Effect.exit,
      )
      expect(exit).toEqual(Exit.fail("fault"))
      expect(seen.join("|")).toBe(policy === Window.finalOnly ? "1\n2\n3|e" : "1\n2\n|3|e")
    }
  }))

it.effect("each run of a stream cuts its own windows", () =>
  Effect.gen(function* () {
    const windows = Stream.fromIterable(chunks("a", "b")).pipe(Window.apply(Window.finalOnly))
    expect(contents(yield* collect(windows))).toEqual(["ab"])
    expect(contents(yield* collect(Stream.concat(windows, windows)))).toEqual(["ab", "ab"])
  }))

it.effect("reads nothing before it is pulled, and no more than a window needs", () =>
  Effect.gen(function* () {
    for (const policy of [Window.lineCount(2), Window.any(Window.lineCount(2), Window.silence("1 hour"))]) {
      const read = yield* Ref.make(0)
      const output = Stream.range(0, 999).pipe(
        Stream.rechunk(1),
        Stream.mapEffect((seq) => Ref.update(read, (n) => n + 1).pipe(Effect.as(chunk(seq, `${seq}\n`)))),
      )
      const taken = yield* output.pipe(Window.apply(policy), Stream.take(3), collect)
      expect(contents(taken)).toEqual(["0\n1\n", "2\n3\n", "4\n5\n"])
      expect(yield* Ref.get(read)).toBe(6)
    }
  }))

it.effect("interruption ends the read that is under way before the command is released, and leaves no fiber", () =>
  Effect.gen(function* () {
    for (const policy of [Window.lineCount(2), Window.any(Window.lineCount(2), Window.silence("1 hour"))]) {
      const log: Array<string> = []
      const stuck = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => log.push("read ended"))))
      // The release is registered at the first pull, as that of a command which is spawned when it is asked for.
      const output = Stream.unwrap(Effect.acquireRelease(
        Effect.succeed(Stream.concat(Stream.make(chunk(0, "1\n2\n3")), Stream.fromEffect(stuck))),
        () => Effect.sync(() => log.push("released")),
      ))
      const fiber = yield* output.pipe(
        Window.apply(policy),
        Stream.runForEach((event) => Effect.sync(() => log.push(contents([event]).join()))),
        Effect.forkChild({ startImmediately: true }),
      )
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      expect(log).toEqual(["1\n2\n", "read ended", "released"])
    }
  }))

it.effect("a window of any policy is cut at maxBytes, without losing text", () =>
  Effect.gen(function* () {
    const pieces = ["ab", "c€", "d", "😀ef", "ghi\n", "j"]
    const windows = yield* Stream.fromIterable(chunks(...pieces)).pipe(
      Window.apply(Window.lineCount(1), { maxBytes: 5 }),
      collect,
    )
    expect(contents(windows)).toEqual(["abc", "€d", "😀e", "fghi\n", "j"])
    expect(windows.map((window) => [window.fromSeq, window.toSeq])).toEqual([[0, 1], [1, 2], [3, 3], [3, 4], [5, 5]])
    const tiny = yield* Stream.make(chunk(0, "a😀")).pipe(Window.apply(Window.finalOnly, { maxBytes: 1 }), collect)
    expect(contents(tiny)).toEqual(["a", "😀"])
  }))

it.effect("the memory of a policy that never cuts is bounded: 64 MiB are held, then let go", () =>
  Effect.gen(function* () {
    const mebi = "x".repeat(1_048_576)
    const lengths: Array<number> = []
    yield* Stream.range(0, 149).pipe(
      Stream.map((seq) => chunk(seq, mebi)),
      Window.apply(Window.finalOnly),
      Stream.runForEach((window) => Effect.sync(() => lengths.push(window.content.length))),
    )
    expect(lengths).toEqual([67_108_864, 67_108_864, 22 * 1_048_576])
  }))

it.effect("output that trickles is put together again whole", () =>
  Effect.gen(function* () {
    const letters = Array.from({ length: 5000 }, (_, index) => String.fromCharCode(97 + index % 26))
    const windows = yield* Stream.fromIterable(chunks(...letters)).pipe(Window.apply(Window.finalOnly), collect)
    expect(contents(windows)).toEqual([letters.join("")])
  }))

it.effect("refuses a maxBytes below 1: the stream fails with it", () =>
  Effect.gen(function* () {
    for (const maxBytes of [0, -1, Number.NaN]) {
      const windows = Stream.runDrain(Window.apply(Window.finalOnly, { maxBytes })(Stream.empty))
      expect((yield* Effect.flip(windows))._tag).toBe("OptionError")
      expect(() => Window.transform(Window.finalOnly, { maxBytes })).toThrow(OptionError)
    }
  }))
