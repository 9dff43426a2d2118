import { expect, it } from "vitest"
import * as Duration from "effect/Duration"
import { type DurationInput, durationOf, millisOf, readDuration } from "../../src/base/duration.ts"
import { OptionError } from "../../src/base/OptionError.ts"

/** In plain JavaScript nothing checks the types. */
const untyped = (u: unknown): ReturnType<typeof JSON.parse> => u

it.each<[DurationInput, number]>([
  [500, 500],
  ["500ms", 500],
  ["5s", 5_000],
  ["1.5s", 1_500],
  ["0.1s", 100],
  ["2m", 120_000],
  ["1m30s", 90_000],
  ["1h2m3s", 3_723_000],
  ["2h30m", 9_000_000],
  ["1d", 86_400_000],
  ["500 millis", 500],
  ["5 seconds", 5_000],
  ["1 minute", 60_000],
  ["Infinity", Infinity],
  [Duration.seconds(2), 2_000],
  [{ minutes: 1, seconds: 1 }, 61_000],
  [0, 0],
])("reads %s", (input, millis) => {
  expect(millisOf("timeout", input)).toBe(millis)
})

it.each([
  {},
  { a: 5 },
  { seconds: "5" },
  { seconds: 5, second: 1 },
  { days: NaN },
  new Date(0),
  "5",
  "5x",
  "s",
  "",
  "5 s",
  "1s2m",
  "soon",
  "-5s",
  "-1 second",
  NaN,
  -1,
  null,
  undefined,
  {}.toString(),
])(
  "refuses %s, naming the field and the forms",
  (input) => {
    const read = () => durationOf("idleTimeout", untyped(input))
    expect(read).toThrow(OptionError)
    expect(read).toThrow(/^idleTimeout: .* is not a duration; write milliseconds \(500\), "500ms", "5s", "1m30s"/)
  },
)

it("distinguishes an invalid duration from a negative one", () => {
  expect(readDuration(-5)).toEqual(Duration.millis(-5))
  expect(readDuration(NaN)).toBeUndefined()
})
