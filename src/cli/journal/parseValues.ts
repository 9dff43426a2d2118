/** Parses the flag values of `sluice journal`, and resolves points in time. Each failure is one line. */
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import type { TerminalSize } from "../../command/Terminal.ts"
import type { ExitCodeFilter } from "../../history/listCommands.ts"
import type { Head } from "../../journal/Entry.ts"
import { parseCountFrom, type Parsed, parseDuration } from "../parseValues.ts"

const dayMillis = 86_400_000

const longUnits: ReadonlyMap<string, number> = new Map([["d", dayMillis], ["w", 7 * dayMillis]])

const noAge = (text: string): string =>
  `${quote(text)} is not an age; write a number with a unit, as in 30m, 12h, 30d, 2w`

/** Parses `30m`, `12h`, `30d` or `2w` to milliseconds. The unit is required: `prune --older-than 30` is a mistake. */
export const parseAge = (text: string): Parsed<number> => {
  if (/[\d.]$/.test(text)) return Result.fail(noAge(text))
  const [, number, unit] = /^(\d+(?:\.\d+)?)([dw])$/.exec(text) ?? []
  if (number === undefined) {
    return Result.mapError(parseDuration(text), () => noAge(text))
  }
  const millis = Number(number) * (longUnits.get(unit ?? "") ?? NaN)
  return Number.isSafeInteger(Math.ceil(millis)) ? Result.succeed(millis) : Result.fail(`${quote(text)} is too long`)
}

/** The start of a time range: an age, an instant, or a local midnight a number of days ago. */
export type Since =
  | { readonly _tag: "Ago"; readonly millis: number }
  | { readonly _tag: "At"; readonly time: number }
  | { readonly _tag: "Midnight"; readonly daysBack: number }

const days: ReadonlyMap<string, number> = new Map([["today", 0], ["yesterday", 1]])

/** Names of units: `2 hours ago`, `1 day`. */
const unitNames = /^(\d+(?:\.\d+)?)\s*(s|m|h|d|w)(?:ec(?:ond)?|in(?:ute)?|our|r|ay|eek|k)?s?$/

// Requires a day: `new Date("5")` would be valid too.
const dateLike = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/** Whether the date at the start of a text exists: some runtimes read February 30 as March 2. */
const isDay = (text: string): boolean =>
  new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10))

/** Parses `2h`, `30d` or an ISO date or time: `2026-11-22`, `2026-11-22T10:00:00Z`. Without a zone it is local time. */
export const parseSince = (text: string): Parsed<Since> => {
  if (dateLike.test(text)) {
    const time = new Date(text.replace(" ", "T")).getTime()
    return Number.isNaN(time) || !isDay(text)
      ? Result.fail(`${quote(text)} is not a valid date`)
      : Result.succeed({ _tag: "At", time })
  }
  const plain = text.trim().toLowerCase()
  const daysBack = days.get(plain)
  if (daysBack !== undefined) return Result.succeed({ _tag: "Midnight", daysBack })
  if (plain === "now") return Result.succeed({ _tag: "Ago", millis: 0 })
  const [, number, unit] = unitNames.exec(plain.replace(/\s+ago$/, "")) ?? []
  const age = parseAge(number === undefined ? plain : `${number}${unit}`)
  return Result.isSuccess(age) ? Result.succeed({ _tag: "Ago", millis: age.success }) : Result.fail(
    `${quote(text)} is not a time; write an age, as in 30m, 12h, "2 days ago", or yesterday, today, ` +
      "or a date, as in 2026-11-22 or 2026-11-22T10:00:00Z",
  )
}

export const resolveInstant = (since: Since, now: number): number => {
  switch (since._tag) {
    case "At":
      return since.time
    case "Ago":
      return now - since.millis
    case "Midnight": {
      const date = new Date(now)
      // By the calendar: a day may have 23 or 25 hours.
      return new Date(date.getFullYear(), date.getMonth(), date.getDate() - since.daysBack).getTime()
    }
  }
}

/** Parses an exit code: `3`, or `!0` for every other one. */
export const parseExitCode = (text: string): Parsed<ExitCodeFilter> => {
  const [, not, digits] = /^(!?)(\d{1,10})$/.exec(text) ?? []
  if (digits === undefined) {
    return Result.fail(`${quote(text)} is not an exit code; write 3, or !0 for any other than 0`)
  }
  return Result.succeed(not === "" ? Number(digits) : { not: Number(digits) })
}

/** Parses a count from 1, or `all`: `Infinity`. */
export const parseMaxCount = (text: string): Parsed<number> =>
  text === "all"
    ? Result.succeed(Infinity)
    : Result.mapError(parseCountFrom(1)(text), () => `${quote(text)} is neither a whole number from 1 nor all`)

/** Parses a speed factor: `1`, `0.5`, `10x`, or `max`: `Infinity`. */
export const parseSpeed = (text: string): Parsed<number> => {
  if (text === "max") return Result.succeed(Infinity)
  const [, number] = /^(\d+(?:\.\d+)?)x?$/.exec(text) ?? []
  const speed = Number(number)
  return speed > 0 && Number.isFinite(speed)
    ? Result.succeed(speed)
    : Result.fail(`${quote(text)} is not a speed; write a factor, as in 1, 0.5 or 10, or max`)
}

/** Parses a recorded head: `POSITION:HASH`. */
export const parseHead = (text: string): Parsed<Head> => {
  const [, position, hash] = /^(\d+):([0-9a-f]{64})$/i.exec(text) ?? []
  return hash !== undefined && Number.isSafeInteger(Number(position))
    ? Result.succeed({ position: Number(position), hash: hash.toLowerCase() })
    : Result.fail(`${quote(text)} is not a head; write POSITION:HASH, as verify and stats print it`)
}

/** Parses a terminal size: `80x24`. */
export const parseSize = (text: string): Parsed<TerminalSize> => {
  const [, cols, rows] = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(text) ?? []
  return rows === undefined
    ? Result.fail(`${quote(text)} is not a terminal size; write columns and rows, as in 80x24`)
    : Result.succeed({ cols: Number(cols), rows: Number(rows) })
}
