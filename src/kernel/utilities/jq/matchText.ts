/** Finds the matches of a regular expression as the objects that `match` gives. Source: `f_match` of jq 1.7.1. */
import type { Coroutine } from "../../Coroutine.ts"
import { detach } from "../../detach.ts"
import { RegexError } from "../../regex/RegexError.ts"
import { compileCached, Search } from "../../regex/perl/PerlRegex.ts"
import { JqArray, JqObject, type Value } from "./values.ts"
import { fail } from "./JqError.ts"
import { failType } from "./operators.ts"
import { countCodePoints, hasNoPairs } from "./texts.ts"

const object = (...fields: ReadonlyArray<readonly [string, Value]>): JqObject => new JqObject(new Map(fields))

/** Translates indexes of code units, which only grow, to those of characters. */
const makeCounter = (text: string): (at: number) => number => {
  if (hasNoPairs(text)) return (at) => at
  let units = 0
  let characters = 0
  return (at) => {
    if (at < units) return countCodePoints(text.slice(0, at))
    characters += countCodePoints(text.slice(units, at))
    units = at
    return characters
  }
}

const makeMatch = (
  text: string,
  slots: Int32Array,
  names: ReadonlyArray<string | undefined>,
  offsetOf: (at: number) => number,
): Value => {
  const [start = 0, end = 0] = slots
  const isEmpty = start === end
  const offset = offsetOf(start)
  const groups = names.map((name = undefined, index): Value => {
    const low = slots[index * 2 + 2] ?? -1
    const high = slots[index * 2 + 3] ?? -1
    const shown = name ?? null
    if (isEmpty) return object(["offset", offset], ["string", ""], ["length", 0], ["name", shown])
    if (low < 0 || high < 0) return object(["offset", -1], ["string", null], ["length", 0], ["name", shown])
    const found = detach(text.slice(low, high), text.length)
    return low === high
      ? object(["offset", offsetOf(low)], ["string", ""], ["length", 0], ["name", shown])
      : object(["offset", offsetOf(low)], ["length", countCodePoints(found)], ["string", found], ["name", shown])
  })
  const found = detach(text.slice(start, end), text.length)
  return object(["offset", offset], ["length", countCodePoints(found)], ["string", found], [
    "captures",
    new JqArray(groups),
  ])
}

function* search(text: string, pattern: string, flags: string, isTest: boolean): Coroutine<Value> {
  const program = compileCached(pattern, flags)
  const searching = new Search(program, text, flags.includes("n"))
  const offsetOf = makeCounter(text)
  const found: Array<Value> = []
  for (let at = 0; at <= text.length;) {
    const slots = yield* searching.find(at)
    if (slots === undefined) break
    if (isTest) return true
    found.push(makeMatch(text, slots, program.names, offsetOf))
    if (!flags.includes("g")) break
    const [start = 0, end = 0] = slots
    at = start === end ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end
  }
  return isTest ? false : new JqArray(found)
}

/** The matches in a text: `args` are the expression, the flags and whether only to test. */
export function* matchText(
  value: Value,
  [pattern = null, flags = null, isTest = false]: ReadonlyArray<Value>,
): Coroutine<Value> {
  if (typeof value !== "string") return failType(value, "cannot be matched, as it is not a string")
  if (typeof pattern !== "string") return failType(pattern, "cannot be matched, as it is not a string")
  if (flags !== null && typeof flags !== "string") return failType(flags, "is not a string")
  if (flags !== null && /[^gixmspln]/.test(flags)) return fail(`${flags} is not a valid modifier string`)
  try {
    return yield* search(value, pattern, flags ?? "", isTest === true)
  } catch (cause) {
    if (cause instanceof RegexError) return fail(`Regex failure: ${cause.message}`)
    throw cause
  }
}
