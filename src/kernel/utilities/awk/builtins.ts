/** Implements the built-in functions of awk. Source: POSIX.1-2024 "awk", gawk(1). */
import { runCoroutine, yieldNow } from "../../Coroutine.ts"
import type { Later } from "../../System.ts"
import { binaryToText, textToBinary } from "../../binaryString.ts"
import { detach } from "../../detach.ts"
import type { Regex } from "../../regex/Regex.ts"
import { sortInSteps } from "../../sortInSteps.ts"
import { maxFormatLength, strftime } from "../../strftime.ts"
import { zoneOffset } from "../../zoneOffset.ts"
import type { ValueBudget } from "../shared/ValueBudget.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { findText } from "../shared/findText.ts"
import type { AwkFiles } from "./AwkFiles.ts"
import type { Special } from "./Code.ts"
import { split, type Splitter } from "./Fields.ts"
import type { RandomNumbers } from "./RandomNumbers.ts"
import { parseGensubReplacement, replaceMatches } from "./replaceMatches.ts"
import { byValueType, findOrder } from "./sortKeys.ts"
import { splitInSteps } from "./splitInSteps.ts"
import {
  type Cell,
  characterOffset,
  countCharacters,
  inputValue,
  NumericText,
  parsePrefix,
  type Scalar,
  type Table,
  toNumber,
} from "./values.ts"

/** Number of characters of a text that are processed in one step. */
const longText = 16_384

/** Maximum number of parts of a split text, all of which are held in a table. */
const maxParts = 4_194_304

/** Parts of a running program that functions use. */
export interface BuiltinContext {
  readonly io: UtilityIo
  readonly utf8: boolean
  readonly files: AwkFiles
  readonly budget: ValueBudget
  readonly textOf: (value: Scalar) => string
  readonly format: (template: string, values: ReadonlyArray<Scalar>) => string
  readonly regexOf: (source: string) => Regex
  /** The way to split of a separator's text. */
  readonly splitterOf: (separator: string) => Splitter
  readonly special: (name: Special) => Scalar
  readonly setSpecial: (name: Special, value: Scalar) => void
  readonly record: () => string
  /** A number from 0 up to 1. */
  readonly random: RandomNumbers
}

export interface Builtin {
  readonly arity: readonly [min: number, max: number]
  /** The argument that is a regular expression. */
  readonly patternAt?: number
  readonly run: (context: BuiltinContext, args: ReadonlyArray<Cell>) => Later<Scalar>
}

const scalar = (cell: Cell): Scalar => cell instanceof Map ? undefined : cell

const ofNumber = (compute: (value: number) => number): Builtin => ({
  arity: [1, 1],
  run: (_, [value]) => compute(toNumber(scalar(value))),
})

/** Bitwise functions work on integers up to 2^53. */
const ofBits = (compute: (a: bigint, b: bigint) => bigint): Builtin => ({
  arity: [2, 8],
  run: ({ io }, args) => {
    const bits = args.map((arg) => {
      const value = Math.trunc(toNumber(scalar(arg)))
      return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? BigInt(value) : io.fail(`${value} has no bits`)
    })
    return Number(BigInt.asUintN(53, bits.reduce(compute)))
  },
})

/** Changes the case of each letter that stays one letter. */
const changeCase = (change: (letter: string) => string): Builtin => {
  const changePiece = (text: string, utf8: boolean): string => {
    // deno-lint-ignore no-control-regex -- ASCII includes control characters
    if (!utf8 || /^[\x00-\x7f]*$/.test(text)) return text.replace(/[a-zA-Z]+/g, change)
    const letters = Array.from(binaryToText(text), (letter) => {
      const changed = change(letter)
      return [...changed].length === 1 ? changed : letter
    })
    return textToBinary(letters.join(""))
  }
  return {
    arity: [1, 1],
    run: ({ io, textOf, utf8 }, [value]) => {
      const text = textOf(scalar(value))
      return text.length <= longText
        ? changePiece(text, utf8)
        : changeLong(io, text, (piece) => changePiece(piece, utf8))
    },
  }
}

/** Changes a text piece by piece; none ends within a character. */
const changeLong = async (io: UtilityIo, text: string, change: (piece: string) => string): Promise<string> => {
  let out = ""
  for (let at = 0; at < text.length;) {
    let end = at + longText
    while (end < text.length && (text.charCodeAt(end) & 0xc0) === 0x80) end++
    out += change(text.slice(at, end))
    at = end
    await yieldNow(io.system)
  }
  return out
}

const fill = (table: Table, values: Iterable<Cell>): number => {
  table.clear()
  let index = 1
  for (const value of values) table.set(String(index++), value)
  return index - 1
}

const isTable = (cell: Cell): cell is Table => cell instanceof Map

const splitLong = async (
  { budget, io, utf8 }: BuiltinContext,
  text: string,
  by: Splitter,
  table: Table,
  separators: Cell,
): Promise<number> => {
  const between = isTable(separators) ? separators : undefined
  let count = 0
  table.clear()
  between?.clear()
  await splitInSteps(io.system, text, by, utf8, (part, separator) => {
    count++
    if (separator !== undefined) between?.set(String(count), detach(separator))
    const value = inputValue(detach(part, text.length))
    table.set(String(count), value)
    if (count > maxParts) io.fail(`a text has more than ${maxParts} parts`)
  })
  budget.made(count * 96 + text.length)
  return count
}

const splitInto = (by: (context: BuiltinContext, separator: Cell) => Splitter): Builtin => ({
  arity: [2, 4],
  patternAt: 2,
  run: (context, [value, table, separator, separators]) => {
    if (!isTable(table)) return 0
    const text = context.textOf(scalar(value))
    const splitter = by(context, separator)
    if (text.length > longText) return splitLong(context, text, splitter, table, separators)
    const between: Array<string> = []
    const parts = split(text, splitter, context.utf8, between)
    context.budget.made(parts.length * 96 + text.length)
    if (isTable(separators)) fill(separators, between)
    return fill(table, parts.map(inputValue))
  },
})

const sortInto = (isByKey: boolean): Builtin => ({
  arity: [1, 3],
  run: async ({ budget, io, textOf }, [source, destination, how]) => {
    if (!isTable(source)) return 0
    const name = textOf(scalar(how))
    const order = findOrder(name === "" ? isByKey ? "@ind_str_asc" : "" : name) ?? byValueType
    if (source.size > maxParts) io.fail(`an array of more than ${maxParts} elements is not sorted`)
    const entries = await runCoroutine(io.system, sortInSteps([...source], order))
    const table = isTable(destination) ? destination : source
    budget.made(entries.length * 96)
    table.clear()
    let index = 0
    for (const [key, value] of entries) {
      table.set(String(++index), isByKey ? key : value)
      if (index % 4_096 === 0) await yieldNow(io.system)
    }
    return index
  },
})

/** The seconds since 1970 of `YYYY MM DD HH MM SS`; -1 for another text. */
const makeTime = (text: string, zone: string): number => {
  const [year, month, day, hour, minute, second] = text.trim().split(/\s+/).map(Number)
  if (second === undefined || [year, month, day, hour, minute, second].some((part) => !Number.isFinite(part))) return -1
  const local = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second)
  const offset = zoneOffset(zone, local)[0]
  return Math.floor((local - zoneOffset(zone, local - offset)[0]) / 1000)
}

export const builtins: Readonly<Record<string, Builtin>> = {
  length: {
    arity: [0, 1],
    run: ({ record, textOf, utf8 }, args) => {
      const [value] = args
      if (isTable(value)) return value.size
      return countCharacters(args.length === 0 ? record() : textOf(value), utf8)
    },
  },
  substr: {
    arity: [2, 3],
    run: ({ textOf, utf8 }, [value, from, count]) => {
      const text = textOf(scalar(value))
      // As in gawk and the one true awk, a start below 1 counts as 1.
      const start = Math.max(1, Math.trunc(toNumber(scalar(from))))
      const end = count === undefined ? Infinity : start + Math.trunc(toNumber(scalar(count)))
      if (!(end > start)) return ""
      const offset = characterOffset(text, start - 1, utf8)
      return text.slice(offset, end === Infinity ? undefined : characterOffset(text, end - start, utf8, offset))
    },
  },
  index: {
    arity: [2, 2],
    run: ({ io, textOf, utf8 }, [value, part]) => {
      const text = textOf(scalar(value))
      const place = (at: number): number => at < 0 ? 0 : countCharacters(text.slice(0, at), utf8) + 1
      const found = runCoroutine(io.system, findText(text, textOf(scalar(part))))
      return found instanceof Promise ? found.then(place) : place(found)
    },
  },
  split: splitInto(({ special, splitterOf, textOf }, separator) =>
    splitterOf(separator === undefined ? textOf(special("FS")) : textOf(scalar(separator)))
  ),
  patsplit: splitInto(({ regexOf, special, textOf }, pattern) => ({
    _tag: "Content",
    regex: regexOf(pattern === undefined ? textOf(special("FPAT")) : textOf(scalar(pattern))),
  })),
  // These are instructions: the machine stores what they make.
  sub: { arity: [2, 3], patternAt: 0, run: () => 0 },
  gsub: { arity: [2, 3], patternAt: 0, run: () => 0 },
  gensub: {
    arity: [3, 4],
    patternAt: 0,
    run: async ({ io, record, regexOf, textOf, utf8 }, [pattern, replacement, how, value]) => {
      const which = textOf(scalar(how))
      const all = /^[gG]/.test(which)
      const regex = regexOf(textOf(scalar(pattern)))
      const text = value === undefined ? record() : textOf(scalar(value))
      const nth = all ? 1 : Math.max(1, Math.trunc(parsePrefix(which)))
      const parts = parseGensubReplacement(textOf(scalar(replacement)))
      return (await replaceMatches(io, regex, text, parts, { all, nth, utf8 })).text
    },
  },
  match: {
    arity: [2, 3],
    patternAt: 1,
    run: async ({ io, regexOf, setSpecial, textOf, utf8 }, [value, pattern, groups]) => {
      const text = textOf(scalar(value))
      const regex = regexOf(textOf(scalar(pattern)))
      const isFound = await regex.exec(io.system, text)
      const { end, start } = regex
      const place = isFound ? countCharacters(text.slice(0, start), utf8) + 1 : 0
      setSpecial("RSTART", place)
      setSpecial("RLENGTH", isFound ? countCharacters(text.slice(start, end), utf8) : -1)
      if (!isTable(groups)) return place
      groups.clear()
      const slots = isFound ? await regex.captures(io.system, text) : new Int32Array()
      for (let group = 0; 2 * group < slots.length; group++) {
        const [from = -1, to = -1] = slots.subarray(2 * group, 2 * group + 2)
        if (from < 0) continue
        const part = text.slice(from, to)
        groups.set(String(group), inputValue(part))
        groups.set(`${group}\x1cstart`, countCharacters(text.slice(0, from), utf8) + 1)
        groups.set(`${group}\x1clength`, countCharacters(part, utf8))
      }
      return place
    },
  },
  sprintf: {
    arity: [1, Infinity],
    run: ({ format, textOf }, [template, ...values]) => format(textOf(scalar(template)), values.map(scalar)),
  },
  sin: ofNumber(Math.sin),
  cos: ofNumber(Math.cos),
  exp: ofNumber(Math.exp),
  log: ofNumber(Math.log),
  sqrt: ofNumber(Math.sqrt),
  int: ofNumber(Math.trunc),
  atan2: { arity: [2, 2], run: (_, [y, x]) => Math.atan2(toNumber(scalar(y)), toNumber(scalar(x))) },
  rand: { arity: [0, 0], run: ({ random }) => random.next() },
  srand: {
    arity: [0, 1],
    run: ({ io, random }, args) =>
      random.seed(args.length === 0 ? Number(io.system.now() / 1_000_000_000n) : toNumber(scalar(args[0]))),
  },
  tolower: changeCase((letters) => letters.toLowerCase()),
  toupper: changeCase((letters) => letters.toUpperCase()),
  system: { arity: [1, 1], run: ({ files, textOf }, [command]) => files.run(textOf(scalar(command))) },
  close: { arity: [1, 2], run: ({ files, textOf }, [name]) => files.close(textOf(scalar(name))) },
  fflush: {
    arity: [0, 1],
    run: ({ files, textOf }, args) => files.flushNamed(args.length === 0 ? undefined : textOf(scalar(args[0]))),
  },
  systime: { arity: [0, 0], run: ({ io }) => Number(io.system.now() / 1_000_000_000n) },
  mktime: {
    arity: [1, 2],
    run: ({ io, textOf }, [text, isUtc]) =>
      makeTime(textOf(scalar(text)), toNumber(scalar(isUtc)) === 0 ? io.zone ?? "UTC" : "UTC"),
  },
  strftime: {
    arity: [0, 3],
    run: ({ io, textOf }, [given, seconds, isUtc]) => {
      const template = given === undefined ? "%a %b %e %H:%M:%S %Z %Y" : binaryToText(textOf(scalar(given)))
      if (template.length > maxFormatLength) io.fail("strftime: the format is too long")
      const value = seconds === undefined ? undefined : Math.floor(toNumber(scalar(seconds)))
      if (value !== undefined && !(Math.abs(value) < 8.64e12)) io.fail("strftime: the time is out of range")
      const time = value === undefined ? io.system.now() : BigInt(value) * 1_000_000_000n
      return textToBinary(strftime(template, time, toNumber(scalar(isUtc)) === 0 ? io.zone ?? "UTC" : "UTC"))
    },
  },
  asort: sortInto(false),
  asorti: sortInto(true),
  and: ofBits((a, b) => a & b),
  or: ofBits((a, b) => a | b),
  xor: ofBits((a, b) => a ^ b),
  lshift: ofBits((a, b) => b > 53n ? 0n : a << b),
  rshift: ofBits((a, b) => b > 53n ? 0n : a >> b),
  compl: ofNumber((value) => Number(BigInt.asUintN(53, ~BigInt(Math.trunc(Number.isFinite(value) ? value : 0))))),
  strtonum: {
    arity: [1, 1],
    run: ({ textOf }, [value]) => {
      if (typeof value === "number") return value
      const text = textOf(scalar(value)).trim()
      const hex = /^[-+]?0[xX]([0-9a-fA-F]+)/.exec(text)
      const octal = /^[-+]?0([0-7]+)(?![0-9.eE])/.exec(text)
      const digits = hex?.[1] ?? octal?.[1]
      if (digits === undefined) return parsePrefix(text)
      const magnitude = parseInt(digits, hex === null ? 8 : 16)
      return text.startsWith("-") ? -magnitude : magnitude
    },
  },
  isarray: { arity: [1, 1], run: (_, [value]) => isTable(value) ? 1 : 0 },
  typeof: {
    arity: [1, 1],
    run: (_, [value]) =>
      isTable(value)
        ? "array"
        : value === undefined
        ? "untyped"
        : value instanceof NumericText
        ? "strnum"
        : typeof value === "number"
        ? "number"
        : "string",
  },
}

/** The functions by the number that instructions have for them. */
export const builtinList: ReadonlyArray<Builtin> = Object.values(builtins)
