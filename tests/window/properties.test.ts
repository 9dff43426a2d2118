import { expect, it } from "@effect/vitest"
import { type ShellOutputChunk, type ShellOutputWindow, Window } from "@sluice/shell"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { policy, reference, Rule } from "./reference.ts"
import { chunk, end, type Event, isWindow } from "./support.ts"

const Piece = Schema.Literals([
  ..."abx; \t\r\n",
  "\n",
  "\n\n",
  "\r\n",
  "\r\n\r\n",
  "é",
  "€",
  "😀",
  "\ud83d",
  "\ude00",
  "a line\n",
  "-".repeat(300),
])

const Output = Schema.Array(Schema.Struct({
  stream: Schema.Literals(["stdout", "stderr"]),
  commandId: Schema.Literals(["one", "two"]),
  pieces: Schema.Array(Piece),
}))

const Case = {
  output: Output,
  rules: Schema.Array(Rule),
  join: Schema.Boolean,
  maxBytes: Schema.Literals([1, 3, 4, 7, 50, 1_000_000]),
  batch: Schema.Literals([1, 2, 3, 1000]),
  ending: Schema.Literals(["end", "output", "fault"]),
}

const chunksOf = (output: typeof Output.Type): ReadonlyArray<ShellOutputChunk> =>
  output.map(({ commandId, pieces, stream }, seq) => chunk(seq, pieces.join(""), stream, commandId))

interface Lane {
  text: string
  /** Of every UTF-16 unit of the text, the chunk that it came in. */
  readonly seqs: Array<number>
}

const lanesOf = (chunks: ReadonlyArray<ShellOutputChunk>, join: boolean): ReadonlyMap<string, Lane> => {
  const lanes = new Map<string, Lane>()
  for (const { commandId, content, seq, stream } of chunks) {
    const key = `${commandId} ${join ? "both" : stream}`
    const lane = lanes.get(key) ?? { text: "", seqs: [] }
    lanes.set(key, lane)
    lane.text += content
    for (let unit = 0; unit < content.length; unit++) lane.seqs.push(seq)
  }
  return lanes
}

/** Each text whole, in order, cut where the plain reference cuts it, each window with the chunks it came from. */
const expectWindows = (
  windows: ReadonlyArray<ShellOutputWindow>,
  lanes: ReadonlyMap<string, Lane>,
  cut: (text: string) => ReadonlyArray<string>,
): void => {
  const known = new Set(lanes.keys())
  for (const window of windows) expect(known).toContain(`${window.commandId} ${window.stream}`)
  for (const [key, lane] of lanes) {
    const own = windows.filter((window) => `${window.commandId} ${window.stream}` === key)
    expect(own.map((window) => window.content)).toEqual(cut(lane.text))
    let at = 0
    for (const window of own) {
      const [fromSeq, toSeq] = [lane.seqs[at], lane.seqs[at + window.content.length - 1]]
      at += window.content.length
      expect(window).toMatchObject({ fromSeq, toSeq })
      expect([window.fromTime, window.toTime]).toEqual([1000 + window.fromSeq, 1000 + window.toSeq])
    }
    expect(at).toBe(lane.text.length)
  }
}

const runs = { arbitrary: { runs: 300 } }

it.effect.prop(
  "through the Stream operator no text is lost or repeated, order is kept, and cuts do not depend on the chunks",
  Case,
  ({ batch, ending, join, maxBytes, output, rules }) =>
    Effect.gen(function* () {
      const chunks = chunksOf(output)
      const events: ReadonlyArray<Event> = ending === "output" ? [...chunks, end("one"), end("two")] : chunks
      const source: Stream.Stream<Event, string> = ending === "fault"
        ? Stream.concat(Stream.fromIterable(events), Stream.fail("fault"))
        : Stream.fromIterable(events)
      const seen: Array<ShellOutputWindow> = []
      const exit = yield* source.pipe(
        Stream.rechunk(batch),
        Window.apply(policy(rules), { join, maxBytes }),
        Stream.runForEach((event) => Effect.sync(() => isWindow(event) ? seen.push(event) : 0)),
        Effect.exit,
      )
      expect(exit._tag).toBe(ending === "fault" ? "Failure" : "Success")
      expectWindows(seen, lanesOf(chunks, join), (text) => reference(rules, maxBytes, text).windows)
    }),
  runs,
)

it.effect.prop(
  "through the TransformStream the same holds",
  Case,
  ({ ending, join, maxBytes, output, rules }) =>
    Effect.promise(async () => {
      const chunks = chunksOf(output)
      const events: Array<Event> = ending === "output" ? [...chunks, end("one"), end("two")] : [...chunks]
      const source = new ReadableStream<Event>({
        pull: (controller) => {
          const event = events.shift()
          if (event !== undefined) controller.enqueue(event)
          else if (ending === "fault") controller.error("fault")
          else controller.close()
        },
      })
      const seen: Array<ShellOutputWindow> = []
      let fault: unknown
      try {
        for await (const event of source.pipeThrough(Window.transform(policy(rules), { join, maxBytes }))) {
          if (isWindow(event)) seen.push(event)
        }
      } catch (reason) {
        fault = reason
      }
      expect(fault).toBe(ending === "fault" ? "fault" : undefined)
      expectWindows(seen, lanesOf(chunks, join), (text) => reference(rules, maxBytes, text).windows)
    }),
  runs,
)

// No sum of these is 100: chunk and timer never come at the same moment, where either may be first.
const Wait = Schema.Literals([0, 7, 40, 130, 260])
const silence = 100

it.effect.prop(
  "an open window ends exactly at the silence, and the pending read loses nothing",
  {
    output: Schema.Array(Schema.Struct({
      wait: Wait,
      stream: Schema.Literals(["stdout", "stderr"]),
      content: Schema.Literals(["", "a", "b\n", "\n", "c;d", "é"]),
    })),
    rules: Schema.Array(Rule),
    join: Schema.Boolean,
  },
  ({ join, output, rules }) =>
    Effect.gen(function* () {
      let now = 0
      const chunks = output.map(({ content, stream, wait }, seq) => ({
        at: now += wait,
        wait,
        chunk: chunk(seq, content, stream),
      }))
      const over = now + 40
      const source = Stream.concat(
        Stream.fromIterable(chunks).pipe(
          Stream.rechunk(1),
          Stream.mapEffect(({ chunk, wait }) => Effect.as(wait === 0 ? Effect.void : Effect.sleep(wait), chunk)),
        ),
        Stream.drain(Stream.fromEffect(Effect.sleep(40))),
      )
      const start = yield* Clock.currentTimeMillis
      const seen: Array<readonly [stream: string, content: string, at: number]> = []
      const fiber = yield* source.pipe(
        Window.apply(Window.any(policy(rules), Window.silence(silence)), { join }),
        Stream.runForEach((window) =>
          Effect.map(Clock.currentTimeMillis, (at) => {
            seen.push([window.stream, window.content, at - start])
          })
        ),
        Effect.forkChild,
      )
      yield* TestClock.adjust(over + silence)
      yield* Fiber.join(fiber)

      // The times at which a silence falls between two chunks of one text cut it; between them the rules do.
      for (const stream of join ? ["both"] : ["stdout", "stderr"]) {
        const own = chunks.filter(({ chunk }) => chunk.content !== "" && (join || chunk.stream === stream))
        const expected: Array<readonly [content: string, at: number | undefined]> = []
        let text = ""
        let startsLine = true
        own.forEach(({ at, chunk }, index) => {
          text += chunk.content
          // The silence falls, or the stream is over, before this text goes on.
          const quiet = Math.min(at + silence, over)
          if ((own[index + 1]?.at ?? Infinity) < quiet) return
          const { held, windows } = reference(rules, Infinity, text, startsLine)
          windows.forEach((window, nth) =>
            expected.push([window, held && nth === windows.length - 1 ? quiet : undefined])
          )
          startsLine = text.endsWith("\n")
          text = ""
        })
        const got = seen.filter(([of]) => of === stream)
        expect(got.map(([, content, at], index) => [content, expected[index]?.[1] === undefined ? undefined : at]))
          .toEqual(expected)
      }
    }),
  { arbitrary: { runs: 200 } },
)
