import { expect, it } from "@effect/vitest"
import { type ShellOutput, type ShellOutputWindow, Window } from "@sluice/shell"
import { afterEach, expectTypeOf, vi } from "vitest"
import { chunk, chunks, contents, end, type Event, type Out } from "./support.ts"

afterEach(() => {
  vi.useRealTimers()
})

/** Lets everything that can go on without time go on. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

const from = (events: Iterable<Event>): ReadableStream<Event> => {
  const iterator = events[Symbol.iterator]()
  return new ReadableStream({
    pull: (controller) => {
      const next = iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
  }, { highWaterMark: 0 })
}

const collect = async <A>(stream: ReadableStream<A>): Promise<ReadonlyArray<A>> => {
  const seen: Array<A> = []
  for await (const value of stream) seen.push(value)
  return seen
}

it("emits the same windows as the Stream operator, and passes the ShellOutput on", async () => {
  const events = [chunk(0, "1\n2\n3"), chunk(1, "e", "stderr"), chunk(2, "\n4\n5"), end()]
  const windows = await collect(from(events).pipeThrough(Window.transform(Window.lineCount(2))))
  expect(contents(windows)).toEqual(["1\n2\n", "3\n4\n", "e", "5", "<ShellOutput>"])
  const joined = await collect(from(events).pipeThrough(Window.transform(Window.finalOnly, { join: true })))
  expect(joined[0]).toEqual({
    _tag: "Window",
    commandId: "c",
    stream: "both",
    content: "1\n2\n3e\n4\n5",
    fromSeq: 0,
    toSeq: 2,
    fromTime: 1000,
    toTime: 1002,
  })
})

it("composes with any TransformStream on both sides", async () => {
  let seq = 0
  const toChunks = new TransformStream<string, Event>({
    transform: (text, controller) => controller.enqueue(chunk(seq++, text)),
  })
  const toText = new TransformStream<Out, string>({
    transform: (event, controller) => controller.enqueue(contents([event]).join()),
  })
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (const byte of new TextEncoder().encode("aé\n😀\nlast")) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const windows = bytes
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(toChunks)
    .pipeThrough(Window.transform(Window.lineCount(1)))
    .pipeThrough(toText)
  expect(await collect(windows)).toEqual(["aé\n", "😀\n", "last"])
})

it("has the types of a TransformStream of events", () => {
  expectTypeOf(Window.transform(Window.finalOnly)).toEqualTypeOf<
    TransformStream<Event, ShellOutputWindow | ShellOutput>
  >()
  expectTypeOf(from([]).pipeThrough(Window.transform(Window.finalOnly))).toEqualTypeOf<
    ReadableStream<ShellOutputWindow | ShellOutput>
  >()
})

it("reads nothing before it is pulled, and a slow reader slows the writer", async () => {
  let read = 0
  const endless = function* (): Generator<Event> {
    for (;;) yield chunk(read, `${read++}\n`.repeat(10))
  }
  const reader = from(endless()).pipeThrough(Window.transform(Window.lineCount(5))).getReader()
  await settle()
  // One chunk may wait in the writer, which takes one by itself.
  expect(read).toBeLessThanOrEqual(2)
  const first = await reader.read()
  expect(first.value === undefined ? [] : contents([first.value])).toEqual(["0\n0\n0\n0\n0\n"])
  await settle()
  expect(read).toBeLessThanOrEqual(3)
  for (let window = 0; window < 20; window++) {
    await reader.read()
    await settle()
    expect(read).toBeLessThanOrEqual(4 + window / 2)
  }
  await reader.cancel()
})

it("a write waits until the reader has taken the windows before", async () => {
  const { readable, writable } = Window.transform(Window.lineCount(1))
  const writer = writable.getWriter()
  const reader = readable.getReader()
  const written: Array<number> = []
  for (let seq = 0; seq < 3; seq++) void writer.write(chunk(seq, "a\nb\n")).then(() => written.push(seq))
  await settle()
  expect(written).toEqual([])
  await reader.read()
  await settle()
  expect(written).toEqual([0])
  await reader.read()
  await settle()
  expect(written).toEqual([0])
  await reader.read()
  await settle()
  expect(written).toEqual([0, 1])
  await reader.cancel()
})

it("when the source fails, held text is emitted before the fault", async () => {
  const fault = new Error("fault")
  const events: Array<Event> = [chunk(0, "1\n2\n3"), chunk(1, "e", "stderr")]
  const failing = new ReadableStream<Event>({
    pull: (controller) => {
      const event = events.shift()
      if (event === undefined) controller.error(fault)
      else controller.enqueue(event)
    },
  })
  const seen: Array<Out> = []
  const reading = (async () => {
    for await (const window of failing.pipeThrough(Window.transform(Window.lineCount(2)))) seen.push(window)
  })()
  await expect(reading).rejects.toBe(fault)
  expect(contents(seen)).toEqual(["1\n2\n", "3", "e"])
})

it("a writer that aborts without a reader loses no written text", async () => {
  const { readable, writable } = Window.transform(Window.lineCount(2))
  const writer = writable.getWriter()
  const writing = writer.write(chunk(0, "1\n2\n3"))
  await settle()
  await writer.abort("stop")
  await writing.catch(() => undefined)
  const reader = readable.getReader()
  const seen: Array<Out> = []
  for (let read = 0; read < 2; read++) {
    const { value } = await reader.read()
    if (value !== undefined) seen.push(value)
  }
  expect(contents(seen)).toEqual(["1\n2\n", "3"])
  await expect(reader.read()).rejects.toBe("stop")
})

it("an abort with nothing held reaches a reader that waits", async () => {
  const { readable, writable } = Window.transform(Window.finalOnly)
  const reading = readable.getReader().read()
  const refused = expect(reading).rejects.toBe("stop")
  await writable.getWriter().abort("stop")
  await refused
})

it("a reader that cancels fails the writer, also one that waits, and the source is cancelled", async () => {
  const { readable, writable } = Window.transform(Window.lineCount(1))
  const writer = writable.getWriter()
  const writing = writer.write(chunk(0, "a\n"))
  await settle()
  await readable.cancel("enough")
  await writing
  await expect(writer.write(chunk(1, "b\n"))).rejects.toBe("enough")
  await expect(writer.closed).rejects.toBe("enough")

  let cancelled: unknown
  const source = new ReadableStream<Event>({
    pull: (controller) => controller.enqueue(chunk(0, "a\n")),
    cancel: (reason) => {
      cancelled = reason
    },
  })
  const reader = source.pipeThrough(Window.transform(Window.lineCount(1))).getReader()
  await reader.read()
  await reader.cancel("enough")
  await settle()
  expect(cancelled).toBe("enough")
})

it("silence ends a window by the clock, and every chunk restarts it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  const { readable, writable } = Window.transform(Window.any(Window.lineCount(2), Window.silence(100)))
  const writer = writable.getWriter()
  const seen: Array<string> = []
  const reading = readable.pipeTo(
    new WritableStream({
      write: (event) => {
        seen.push(`${performance.now() - start}:${contents([event]).join()}`)
      },
    }),
  )
  const start = performance.now()
  const pass = async (millis: number): Promise<void> => {
    for (let passed = 0; passed < millis; passed++) {
      await vi.advanceTimersByTimeAsync(1)
      await settle()
    }
  }
  await writer.write(chunk(0, "1\n2\n3"))
  await pass(60)
  await writer.write(chunk(1, "."))
  await pass(60)
  await writer.write(chunk(2, "."))
  await pass(200)
  await writer.write(chunk(3, "4"))
  await writer.close()
  await reading
  expect(seen).toEqual(["0:1\n2\n", "220:3..", "320:4"])
  expect(vi.getTimerCount()).toBe(0)
})

it("a chunk that waits for a slow reader breaks the silence", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  const { readable, writable } = Window.transform(Window.any(Window.lineCount(1), Window.silence(100)))
  const writer = writable.getWriter()
  const reader = readable.getReader()
  const reads = [reader.read()]
  await writer.write(chunk(0, "a\nb"))
  const writing = writer.write(chunk(1, "c\n"))
  await vi.advanceTimersByTimeAsync(1000)
  await settle()
  reads.push(reader.read())
  await writing
  await writer.close()
  const windows = (await Promise.all(reads)).flatMap(({ value }) => value === undefined ? [] : [value])
  expect(contents(windows)).toEqual(["a\n", "bc\n"])
})

it("no timer is left by a cancel, an abort or a close", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  for (const how of ["cancel", "abort", "close"] as const) {
    const { readable, writable } = Window.transform(Window.silence("1 hour"))
    const writer = writable.getWriter()
    const reader = readable.getReader()
    const reading = reader.read()
    await writer.write(chunk(0, "a"))
    expect(vi.getTimerCount()).toBe(1)
    if (how === "cancel") await reader.cancel()
    else if (how === "abort") await writer.abort("stop")
    else await writer.close()
    expect(vi.getTimerCount(), how).toBe(0)
    expect((await reading).done).toBe(how === "cancel")
  }
})

it("works with the platform's own timers too", async () => {
  const { readable, writable } = Window.transform(Window.silence(5))
  const writer = writable.getWriter()
  const reader = readable.getReader()
  const reading = reader.read()
  for (const event of chunks("a", "b")) await writer.write(event)
  // Nothing more is written: only the timer can answer this.
  const { value } = await reading
  expect(value === undefined ? "" : contents([value]).join()).toMatch(/^a/)
  await reader.cancel()
})
