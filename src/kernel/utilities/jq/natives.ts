/** Implements the functions of jq that are written in TypeScript. Source: jq(1), builtin.c of jq 1.7.1. */
import { type Coroutine, runCoroutineSync } from "../../Coroutine.ts"
import { formatText, toText } from "./formats.ts"
import { formatJson, isLarge, toJsonText } from "./formatJson.ts"
import type { Apply, Finish } from "./FunctionNode.ts"
import { findText } from "../shared/findText.ts"
import { detach } from "../../detach.ts"
import type { Machine } from "./Machine.ts"
import * as mathematics from "./mathematics.ts"
import { matchText } from "./matches.ts"
import { add, contains, failType, failTypes, splitText } from "./operators.ts"
import { deletePaths, hasKey, setPath } from "./paths.ts"
import { parseText } from "./parseText.ts"
import { preludeNames } from "./prelude.ts"
import { extreme, groupBy, sort, sortBy } from "./sorting.ts"
import { breakTime, formatTime, mktime, strptime } from "./times.ts"
import {
  checkText,
  checkWeight,
  compare,
  compareText,
  countCodePoints,
  effort,
  emptyArray,
  fail,
  hasNoPairs,
  JqArray,
  JqError,
  JqObject,
  mapText,
  numberOf,
  piecesOf,
  TakesLong,
  typeName,
  type Value,
  weigh,
} from "./values.ts"

export interface Native {
  /** Computes the single result at once; may throw `TakesLong` if `finish` can compute it in steps. */
  readonly apply?: Apply
  readonly finish?: Finish
  /** Whether the result keeps the path of the input where both are the same. */
  readonly keepsPath?: boolean
}

/** Ends the program with an exit code. */
export class HaltSignal extends Error {
  readonly code: number
  readonly value: Value | undefined

  constructor(code: number, value?: Value) {
    super("halt")
    this.code = code
    this.value = value
  }
}

/** Counts a function that may read all of its input. */
const count = (value: Value): void => {
  effort.units += weigh(value) / 64
  if (typeof value === "string" && value.length >= 65_536) effort.made += value.length
}

const of = (apply: (value: Value) => Value): Native => ({
  apply: (value) => {
    count(value)
    return apply(value)
  },
})
const one = (apply: (value: Value, arg: Value) => Value): Native => ({
  apply: (value, [arg = null]) => {
    count(value)
    return apply(value, arg)
  },
})
const fromMachine = (read: (machine: Machine) => Value): Native => ({
  finish: (machine) => machine.emitNew(read(machine)),
})

const keepingPath = (native: Native): Native => ({ ...native, keepsPath: true })

/** A function that computes in steps; at once if a value is small. */
const inSteps = (steps: (value: Value, args: ReadonlyArray<Value>) => Coroutine<Value>): Native => ({
  apply: (value, args) => {
    if (isLarge(value)) throw new TakesLong()
    count(value)
    return runCoroutineSync(steps(value, args))
  },
  finish: (machine, value, args) => machine.runSteps(steps(value, args)),
})

const strings = (
  apply: (value: string, arg: string) => Value,
  otherwise: (value: Value, arg: Value) => Value,
): Native =>
  one((value, arg) => typeof value === "string" && typeof arg === "string" ? apply(value, arg) : otherwise(value, arg))

/** Number of elements that are processed in one step. */
const itemsPerStep = 2_048

function* textLength(text: string): Coroutine<Value> {
  let length = 0
  for (const piece of piecesOf(text)) {
    if (length > 0) yield
    length += countCodePoints(piece)
  }
  return length
}

const lengthOf = (value: Value): Value => {
  if (typeof value === "string") {
    if (isLarge(value)) throw new TakesLong()
    return countCodePoints(value)
  }
  if (value instanceof JqArray) return value.length
  if (value instanceof JqObject) return value.size
  if (value === null) return 0
  const number = numberOf(value)
  return number === undefined ? failType(value, "has no length") : Math.abs(number)
}

function* sortedKeysOf(value: Value): Coroutine<Value> {
  const keys = keysOf(value)
  return value instanceof JqObject ? yield* sort(keys) : keys
}

const keysOf = (value: Value): Value => {
  if (value instanceof JqObject) return new JqArray([...value.entries.keys()])
  return value instanceof JqArray ? new JqArray(value.items.map((_, at) => at)) : failType(value, "has no keys")
}

function* toNumber(value: Value): Coroutine<Value> {
  if (numberOf(value) !== undefined) return value
  if (typeof value !== "string") return failType(value, "cannot be parsed as a number")
  const parsed = yield* parseText(value)
  return numberOf(parsed) === undefined ? failType(value, "cannot be parsed as a number") : parsed
}

function* indicesOf(value: Value, arg: Value): Coroutine<Value> {
  if (typeof value !== "string" || typeof arg !== "string") return null
  const found: Array<Value> = []
  const isPlain = hasNoPairs(value)
  let units = 0
  let characters = 0
  for (let at = arg === "" ? -1 : yield* findText(value, arg); at >= 0; at = yield* findText(value, arg, at + 1)) {
    if (!isPlain) characters += countCodePoints(value.slice(units, at))
    units = at
    if (found.push(isPlain ? at : characters) % 4096 === 0) {
      checkWeight(found.length * 16)
      yield
    }
  }
  return new JqArray(found)
}

function* explode(value: Value): Coroutine<Value> {
  if (typeof value !== "string") return fail("explode input must be a string")
  const codes: Array<Value> = []
  for (const piece of piecesOf(value)) {
    if (codes.length > 0) yield
    for (const letter of piece) codes.push(letter.codePointAt(0) ?? 0)
    checkWeight(codes.length * 16)
    effort.made += piece.length * 8
  }
  return new JqArray(codes, 32 + codes.length * 16)
}

function* implode(value: Value): Coroutine<Value> {
  if (!(value instanceof JqArray)) return fail("implode input must be an array")
  checkText(value.length)
  let text = ""
  let letters: Array<string> = []
  for (const item of value.items) {
    const code = numberOf(item)
    if (code === undefined || Number.isNaN(code)) {
      return failType(item, "can't be imploded, unicode codepoint needs to be numeric")
    }
    const whole = Math.trunc(code)
    const isValid = whole >= 0 && whole <= 0x10ffff && (whole < 0xd800 || whole > 0xdfff)
    // Joined pieces, because an engine is slow to read a text that was made of single characters.
    if (letters.push(String.fromCodePoint(isValid ? whole : 0xfffd)) < 4096) continue
    text += letters.join("")
    letters = []
    yield
  }
  return text + letters.join("")
}

/** Adds all values up. */
function* addAll(value: Value): Coroutine<Value> {
  const items = value instanceof JqArray
    ? value.items
    : value instanceof JqObject
    ? [...value.entries.values()]
    : fail(`Cannot iterate over ${typeName(value)}${value === null ? " (null)" : ` (${toText(value).slice(0, 11)})`}`)
  let sum: Value = null
  let steps = 0
  for (const item of items) {
    sum = add(sum, item)
    steps += 1 + weigh(item) / 64
    if (steps < itemsPerStep) continue
    steps = 0
    yield
  }
  return sum
}

function* join(value: Value, separator: Value): Coroutine<Value> {
  if (!(value instanceof JqArray)) return failType(value, "cannot be iterated over")
  if (value.length === 0) return ""
  const glue = typeof separator === "string"
    ? separator
    : separator === null
    ? ""
    : failTypes("", separator, "cannot be added")
  const parts: Array<string> = []
  let length = 0
  for (const item of value.items) {
    const isContainer = item instanceof JqArray || item instanceof JqObject
    if (isContainer) return failTypes([...parts, ""].join(glue), item, "cannot be added")
    const text = item === null ? "" : toText(item)
    length += text.length + glue.length
    if (parts.push(text) % itemsPerStep === 0) yield
  }
  checkText(length)
  return parts.join(glue)
}

function* flatten(value: Value, depth: number): Coroutine<Value> {
  const out: Array<Value> = []
  let steps = 0
  function* visit(part: Value, left: number): Coroutine<void> {
    const items = part instanceof JqArray
      ? part.items
      : part instanceof JqObject
      ? [...part.entries.values()]
      : failType(part, "cannot be flattened")
    for (const item of items) {
      if (++steps % itemsPerStep === 0) yield
      if (item instanceof JqArray && left !== 0) yield* visit(item, left - 1)
      else out.push(item)
    }
  }
  yield* visit(value, depth)
  return new JqArray(out)
}

function* toEntries(value: Value): Coroutine<Value> {
  const entries: Iterable<readonly [Value, Value]> = value instanceof JqObject
    ? value.entries
    : value instanceof JqArray
    ? value.items.map((item, at) => [at, item] as const)
    : failType(value, "has no keys")
  const made: Array<Value> = []
  for (const [key, item] of entries) {
    const entry = new JqObject(new Map<string, Value>([["key", key], ["value", item]]))
    if (made.push(entry) % itemsPerStep === 0) yield
  }
  return new JqArray(made)
}

const reverse = (value: Value): Value => {
  if (typeof value === "string") return value === "" ? emptyArray() : fail("Cannot index string with number")
  if (value === null) return emptyArray()
  return value instanceof JqArray
    ? new JqArray(value.items.toReversed())
    : fail(`Cannot index ${typeName(value)} with number`)
}

const mapAscii = (pattern: RegExp, change: (text: string) => string): Native =>
  inSteps(function* (value) {
    if (typeof value !== "string") return fail("explode input must be a string")
    return yield* mapText(value, (text) => text.replace(pattern, change))
  })

const trim = (change: (text: string) => string): Native =>
  of((value) => typeof value === "string" ? detach(change(value), value.length) : failType(value, "cannot be trimmed"))

const utf8Length = (text: string): number => {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Half a surrogate pair takes two of its four bytes.
    length += code < 0x80 ? 1 : code < 0x800 || code >= 0xd800 && code < 0xe000 ? 2 : 3
  }
  return length
}

const captures = (value: Value): Value => {
  const entries = new Map<string, Value>()
  const all = value instanceof JqObject ? value.entries.get("captures") : undefined
  for (const capture of all instanceof JqArray ? all.items : []) {
    if (!(capture instanceof JqObject)) continue
    const name = capture.entries.get("name")
    if (typeof name === "string") entries.set(name, capture.entries.get("string") ?? null)
  }
  return new JqObject(entries)
}

const number = (value: Value): number => numberOf(value) ?? failType(value, "number required")

const mathNatives: Record<string, Native> = {}
for (const [name, compute] of Object.entries(mathematics.unary)) {
  mathNatives[`${name}/0`] = of((value) => compute(number(value)))
}
for (const [name, compute] of Object.entries(mathematics.binary)) {
  mathNatives[`${name}/2`] = { apply: (_, [a = null, b = null]) => compute(number(a), number(b)) }
}

const environment = (machine: Machine): Value => new JqObject(new Map<string, Value>(machine.host.system.env))

const matchImpl: Native = {
  apply: (value, args) => {
    const steps = matchText(value, args)
    const first = steps.next()
    if (first.done !== true) throw new TakesLong()
    return first.value
  },
  finish: (machine, value, args) => machine.runSteps(matchText(value, args)),
}

export const natives: Readonly<Record<string, Native>> = {
  ...mathNatives,
  "frexp/0": of((value) => new JqArray([...mathematics.frexp(number(value))])),
  "modf/0": of((value) => {
    const whole = Math.trunc(number(value))
    return new JqArray([Number.isFinite(whole) ? number(value) - whole : whole === whole ? 0 : NaN, whole])
  }),
  "lgamma_r/0": of((value) =>
    new JqArray([mathematics.lgamma(number(value)), mathematics.gamma(number(value)) < 0 ? -1 : 1])
  ),
  "fma/3": { apply: (_, [a = null, b = null, c = null]) => number(a) * number(b) + number(c) },
  "not/0": of((value) => value === null || value === false),
  "length/0": {
    apply: (value) => {
      count(value)
      return lengthOf(value)
    },
    finish: (machine, value) => machine.runSteps(textLength(typeof value === "string" ? value : "")),
  },
  "utf8bytelength/0": of((value) =>
    typeof value === "string" ? utf8Length(value) : failType(value, "only strings have UTF-8 byte length")
  ),
  "type/0": of(typeName),
  "keys/0": inSteps(sortedKeysOf),
  "keys_unsorted/0": of(keysOf),
  "has/1": one(hasKey),
  "contains/1": inSteps((value, [arg = null]) =>
    typeName(value) === typeName(arg)
      ? contains(value, arg)
      : failTypes(value, arg, "cannot have their containment checked")
  ),
  "abs/0": of((value) => compare(value, 0) < 0 ? -(numberOf(value) ?? failType(value, "cannot be negated")) : value),
  "add/0": inSteps(addAll),
  "join/1": inSteps((value, [separator = null]) => join(value, separator)),
  "_flatten/1": inSteps((value, [depth = null]) => flatten(value, number(depth))),
  "to_entries/0": inSteps(toEntries),
  "reverse/0": of(reverse),
  "tojson/0": inSteps((value) => toJsonText(value)),
  "tostring/0": keepingPath(inSteps(function* (value) {
    return typeof value === "string" ? value : yield* toJsonText(value)
  })),
  "fromjson/0": inSteps((value) =>
    typeof value === "string" ? parseText(value) : failType(value, "only strings can be parsed")
  ),
  "tonumber/0": keepingPath(inSteps(toNumber)),
  "format/1": inSteps((value, [name = null]) =>
    typeof name === "string" ? formatText(name, value) : failType(name, "is not a valid format")
  ),
  "ascii_downcase/0": mapAscii(/[A-Z]+/g, (text) => text.toLowerCase()),
  "ascii_upcase/0": mapAscii(/[a-z]+/g, (text) => text.toUpperCase()),
  "explode/0": inSteps(explode),
  "implode/0": inSteps(implode),
  "trim/0": trim((text) => text.trim()),
  "ltrim/0": trim((text) => text.trimStart()),
  "rtrim/0": trim((text) => text.trimEnd()),
  "startswith/1": strings(
    (value, arg) => value.startsWith(arg),
    () => fail("startswith() requires string inputs"),
  ),
  "endswith/1": strings((value, arg) => value.endsWith(arg), () => fail("endswith() requires string inputs")),
  "ltrimstr/1": keepingPath(strings(
    (value, arg) => value.startsWith(arg) ? detach(value.slice(arg.length), value.length) : value,
    (value) => value,
  )),
  "rtrimstr/1": keepingPath(strings(
    (value, arg) => value.endsWith(arg) ? detach(value.slice(0, value.length - arg.length), value.length) : value,
    (value) => value,
  )),
  "split/1": inSteps((value, [separator]) =>
    typeof value === "string" && typeof separator === "string"
      ? splitText(value, separator)
      : fail("split input and separator must be strings")
  ),
  "_strindices/1": inSteps((value, [part = null]) => indicesOf(value, part)),
  "setpath/2": { apply: (value, [path = null, part = null]) => setPath(value, path, part) },
  "delpaths/1": one(deletePaths),
  "sort/0": inSteps((value) => sort(value)),
  "_sort_by_impl/1": inSteps((value, [keys = null]) => sortBy(value, keys)),
  "_group_by_impl/1": inSteps((value, [keys = null]) => groupBy(value, keys)),
  "min/0": of((value) => extreme(value, value, true)),
  "max/0": of((value) => extreme(value, value, false)),
  "_min_by_impl/1": one((value, keys) => extreme(value, keys, true)),
  "_max_by_impl/1": one((value, keys) => extreme(value, keys, false)),
  "_match_impl/3": matchImpl,
  "_captures/0": of(captures),
  "infinite/0": of(() => Infinity),
  "nan/0": of(() => NaN),
  "isinfinite/0": of((value) => Math.abs(numberOf(value) ?? 0) === Infinity),
  "isnan/0": of((value) => Number.isNaN(numberOf(value))),
  "isnormal/0": of((value) => {
    const amount = Math.abs(numberOf(value) ?? 0)
    return amount >= 2.2250738585072014e-308 && amount < Infinity
  }),
  "error/0": of((value) => {
    throw new JqError(value)
  }),
  "halt/0": of(() => {
    throw new HaltSignal(0)
  }),
  "halt_error/1": one((value, code) => {
    throw new HaltSignal(numberOf(code) ?? failType(value, "halt_error/1: number required"), value)
  }),
  "gmtime/0": of((value) => breakTime(value, "UTC", "gmtime")),
  "mktime/0": of(mktime),
  "strptime/1": one(strptime),
  "strftime/1": one((value, format) => formatTime(value, format, "UTC", "strftime")),
  "localtime/0": fromMachine(({ host, value }) => breakTime(value, host.zone ?? "UTC", "localtime")),
  "strflocaltime/1": {
    finish: (machine, value, [format = null]) =>
      machine.emitNew(formatTime(value, format, machine.host.zone ?? "UTC", "strflocaltime")),
  },
  "now/0": fromMachine(({ host }) => Number(host.system.now() / 1000n) / 1_000_000),
  "env/0": fromMachine(environment),
  "input_filename/0": fromMachine(({ host }) => host.inputFile()),
  "input_line_number/0": fromMachine(({ host }) => host.inputLine()),
  "get_search_list/0": fromMachine(({ host }) => new JqArray([...host.searchPaths])),
  "debug/0": {
    finish: (machine, value) => {
      machine.host.printMessage(`${formatJson(new JqArray(["DEBUG:", value]))}\n`)
      machine.emit(value, machine.path)
    },
  },
  "stderr/0": {
    finish: (machine, value) => {
      machine.host.printMessage(toText(value))
      machine.emit(value, machine.path)
    },
  },
  "input/0": {
    finish: (machine) => {
      const next = machine.host.nextInput()
      const check = (value: Value | undefined): Value => value === undefined ? fail("break") : value
      if (next instanceof Promise) machine.wait(next.then(check))
      else machine.emitNew(check(next))
    },
  },
  "modulemeta/0": {
    finish: (machine, value) => {
      if (typeof value !== "string") fail("modulemeta input module name must be a string")
      else machine.wait(machine.host.moduleMeta(value))
    },
  },
  "builtins/0": of(() => {
    const names = [
      ...Object.keys(natives),
      ...preludeNames(),
      "empty/0",
      "path/1",
      "getpath/1",
      "limit/2",
      "nth/2",
      "range/1",
      "range/2",
      "select/1",
      "map/1",
    ]
    return new JqArray(names.filter((name) => !name.startsWith("_")).sort(compareText))
  }),
}
