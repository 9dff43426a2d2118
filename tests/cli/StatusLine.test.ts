import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { OutputWriter } from "../../src/cli/ProcessOutput.ts"
import { statusText, withStatusLine } from "../../src/cli/StatusLine.ts"
import { eventually } from "../support/eventually.ts"

it.each([
  [0, 0, 0, "0.0s  0 lines  0 B"],
  [12_345, 1, 1_023, "12.3s  1 line  1023 B"],
  [59_940, 1_234, 58_061, "59.9s  1,234 lines  56.7 KiB"],
  [61_000, 2, 5_242_880, "1m01s  2 lines  5.0 MiB"],
  [3_723_000, 1_000_000, 3_221_225_472, "1h02m03s  1,000,000 lines  3.0 GiB"],
])("says elapsed time, lines and bytes: %i ms, %i, %i", (millis, lines, bytes, text) => {
  expect(statusText(millis, lines, bytes)).toBe(text)
})

const encoder = new TextEncoder()
const erased = "2:\r\x1b[K"
const drawn = (text: string): string => `2:\r\x1b[K\x1b[?7l\x1b[2m${text}\x1b[22m\x1b[?7h`

const recorder = () => {
  const log: Array<string> = []
  const output: OutputWriter = {
    write: (fd, bytes) => Effect.sync(() => void log.push(`${fd}:${new TextDecoder().decode(bytes)}`)),
  }
  return { log, output }
}

it.effect("draws ten times a second, and erases before each write and at the end", () =>
  Effect.gen(function* () {
    const { log, output } = recorder()
    yield* Effect.scoped(Effect.gen(function* () {
      const status = yield* withStatusLine(output)
      yield* TestClock.adjust("200 millis")
      yield* status.write(1, encoder.encode("one\ntwo\n"))
      yield* status.write(2, encoder.encode("three\n"))
      yield* TestClock.adjust("50 millis")
      expect(log).toEqual([
        drawn("0.1s  0 lines  0 B"),
        drawn("0.2s  0 lines  0 B"),
        erased,
        "1:one\ntwo\n",
        "2:three\n",
      ])
      yield* TestClock.adjust("50 millis")
    }))
    expect(log.slice(5)).toEqual([drawn("0.3s  3 lines  14 B"), erased])
  }))

it.effect("does not draw into an unfinished line", () =>
  Effect.gen(function* () {
    const { log, output } = recorder()
    yield* Effect.scoped(Effect.gen(function* () {
      const status = yield* withStatusLine(output)
      yield* status.write(1, encoder.encode("half"))
      yield* TestClock.adjust("1 second")
      expect(log).toEqual(["1:half"])
      yield* status.write(1, encoder.encode(" and half\n"))
      yield* TestClock.adjust("100 millis")
    }))
    expect(log.slice(1)).toEqual(["1: and half\n", drawn("1.1s  1 line  14 B"), erased])
  }))

it.effect("leaves nothing to erase when it was never drawn", () =>
  Effect.gen(function* () {
    const { log, output } = recorder()
    yield* Effect.scoped(Effect.flatMap(withStatusLine(output), ({ write }) => write(1, encoder.encode("at once\n"))))
    expect(log).toEqual(["1:at once\n"])
  }))

it.live("does not wait for a terminal that is stopped", () =>
  Effect.gen(function* () {
    let writes = 0
    const stopped: OutputWriter = {
      write: () => Effect.suspend(() => ++writes === 1 ? Effect.void : Effect.never),
    }
    yield* Effect.scoped(Effect.andThen(withStatusLine(stopped), eventually("it is drawn", () => writes > 0)))
    expect(writes).toBeGreaterThan(1)
  }))
