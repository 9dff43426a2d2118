/** Declares the values of jq and how they are compared. Source: jq(1), jv.c and jv_aux.c of jq 1.7.1. */
import { maxHeldBytes } from "../shared/Input.ts"
import type { Coroutine } from "../../Coroutine.ts"
import { formatNumber } from "./numbers.ts"
import { TracedValue, type Tracer } from "./Tracer.ts"

/** A number that prints as it was written, because a double would print otherwise: `1.000`, `100000000000000000000`. */
export class NumberLiteral {
  readonly value: number
  readonly text: string
  readonly weight: number

  constructor(value: number, text: string) {
    this.value = value
    this.text = text
    this.weight = 48 + text.length
  }
}

export type Value = null | boolean | number | string | NumberLiteral | JqArray | JqObject

/** An error of a program, which `catch` gets. */
export class JqError extends Error {
  readonly value: Value

  constructor(value: Value) {
    super(typeof value === "string" ? value : "")
    this.value = value
  }
}

/** An error that no program may catch: a limit of this implementation. */
export class LimitError extends Error {}

/** Thrown if a result takes too long to be computed at once; the node is then run again, in steps. */
export class TakesLong extends Error {}

export const fail = (message: string): never => {
  throw new JqError(message)
}

export const failLimit = (message: string): never => {
  throw new LimitError(message)
}

/**
 * Work since a machine last read the clock: copied and compared elements, and the bytes of new values, of all running
 * programs.
 */
export const effort = { units: 0, made: 0 }

/** Counts characters that an operation reads. Engines join the parts of a text when it is read. */
export const countText = (length: number): void => {
  effort.units += length / 16
  if (length >= 65_536) effort.made += length
}

/** Approximate bytes of a value, including its parts; shared parts count each time. */
export const weigh = (value: Value): number =>
  typeof value === "string" ? value.length + 16 : typeof value !== "object" || value === null ? 8 : value.weight

export const checkWeight = (weight: number): void => {
  if (weight > maxHeldBytes) failLimit(`a value holds more than ${maxHeldBytes} bytes`)
}

/** How an older version of an array or object differs from the next one. */
interface Undo<K> {
  readonly next: Versioned<K>
  readonly key: K
  readonly value: Value | undefined
}

/**
 * An immutable container whose newest version owns the storage and is changed in place, so that a loop that adds to its state
 * takes constant time for each step. Older versions know how they differ and copy when they are read. Source: Baker, "Shallow
 * Binding Makes Functional Arrays Fast".
 */
abstract class Versioned<K> extends TracedValue {
  #undo: Undo<K> | undefined
  abstract weight: number

  protected abstract copyFrom(newest: Versioned<K>): void
  protected abstract revert(undo: Undo<K>): void

  protected supersede(next: Versioned<K>, key: K, value: Value | undefined): void {
    this.#undo = { next, key, value }
  }

  protected abstract traceOwn(tracer: Tracer): void

  override trace(tracer: Tracer): void {
    tracer.bytes += 64
    if (this.#undo === undefined) return this.traceOwn(tracer)
    tracer.value(this.#undo.value)
    tracer.reach(this.#undo.next)
  }

  protected restore(): void {
    const undos: Array<Undo<K>> = []
    let newest: Versioned<K> | undefined
    for (let undo = this.#undo; undo !== undefined; undo = undo.next.#undo) {
      undos.push(undo)
      newest = undo.next
    }
    if (newest === undefined) return
    this.#undo = undefined
    effort.units += undos.length + newest.weight / 32
    effort.made += newest.weight / 2
    this.copyFrom(newest)
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) this.revert(undo)
  }
}

export class JqArray extends Versioned<number> {
  #items: Array<Value> | undefined
  weight: number

  /** Takes over the items, which must not be changed elsewhere. */
  constructor(items: Array<Value>, weight?: number) {
    super()
    this.#items = items
    if (weight === undefined) {
      effort.units += items.length
      effort.made += items.length * 8
      weight = 32
      for (const item of items) weight += 8 + weigh(item)
    }
    checkWeight(weight)
    effort.made += 64
    this.weight = weight
  }

  protected override traceOwn(tracer: Tracer): void {
    tracer.values(this.#items ?? [])
  }

  /** Must be read at once, because another version may change the storage later. */
  get items(): ReadonlyArray<Value> {
    if (this.#items === undefined) this.restore()
    return this.#items ?? []
  }

  get length(): number {
    return this.items.length
  }

  protected override copyFrom(newest: Versioned<number>): void {
    if (newest instanceof JqArray) this.#items = [...newest.items]
  }

  protected override revert({ key, value }: Undo<number>): void {
    if (this.#items === undefined) return
    if (value === undefined) this.#items.length = key
    else this.#items[key] = value
  }

  #take(weight: number): readonly [items: Array<Value>, next: JqArray] {
    const { items } = this
    checkWeight(weight)
    const own = this.#items ?? [...items]
    return [own, new JqArray(own, weight)]
  }

  /** An array with one item changed, padded with nulls. */
  with(index: number, value: Value): JqArray {
    const { length } = this.items
    const before = index < length ? this.items[index] ?? null : undefined
    const padding = Math.max(0, index - length)
    if (padding > maxPadding) failLimit(`an array has at most ${maxPadding} elements that were not set in a row`)
    effort.units += padding
    effort.made += padding * 8
    const [items, next] = this.#take(
      this.weight + weigh(value) - (before === undefined ? -8 : weigh(before)) + padding * 8,
    )
    for (let at = length; at < index; at++) items.push(null)
    items[index] = value
    effort.made += 8
    this.#items = undefined
    this.supersede(next, before === undefined ? length : index, before)
    return next
  }

  concat(other: JqArray): JqArray {
    const added = other.items
    if (added.length === 0) return this
    const { length } = this.items
    if (length === 0) return other
    // Small parts are appended in place; a large one would have to be undone as a whole, which truncation does, too.
    const copy = other === this ? [...added] : added
    const [items, next] = this.#take(this.weight + other.weight - 32)
    effort.units += copy.length
    effort.made += copy.length * 8
    for (const item of copy) items.push(item)
    this.#items = undefined
    this.supersede(next, length, undefined)
    return next
  }

  slice(from: number, to: number): JqArray {
    const { length } = this
    const count = to - from
    if (count === length) return this
    effort.units += count / 16
    effort.made += count * 8
    // The share of a large part is near enough, and a loop over all that is left of a list needs it soon.
    const weight = count < 64 ? undefined : Math.ceil(32 + (this.weight - 32) * count / length)
    return new JqArray(this.items.slice(from, to), weight)
  }
}

export class JqObject extends Versioned<string> {
  #entries: Map<string, Value> | undefined
  weight: number

  /** Takes over the entries, which must not be changed elsewhere. */
  constructor(entries: Map<string, Value>, weight?: number) {
    super()
    this.#entries = entries
    if (weight === undefined) {
      effort.units += entries.size * 4
      effort.made += entries.size * 48
      weight = 64
      for (const [key, value] of entries) weight += 48 + key.length + weigh(value)
    }
    checkWeight(weight)
    effort.made += 64
    this.weight = weight
  }

  protected override traceOwn(tracer: Tracer): void {
    for (const key of this.entries.keys()) tracer.bytes += 40 + key.length
    tracer.values(this.entries.values())
  }

  /** Must be read at once, because another version may change the storage later. */
  get entries(): ReadonlyMap<string, Value> {
    if (this.#entries === undefined) this.restore()
    return this.#entries ?? new Map()
  }

  get size(): number {
    return this.entries.size
  }

  /** Keys in the order of their code points. */
  get sortedKeys(): Array<string> {
    return [...this.entries.keys()].sort(compareText)
  }

  protected override copyFrom(newest: Versioned<string>): void {
    if (newest instanceof JqObject) this.#entries = new Map(newest.entries)
  }

  protected override revert({ key, value }: Undo<string>): void {
    if (value === undefined) this.#entries?.delete(key)
    else this.#entries?.set(key, value)
  }

  with(key: string, value: Value): JqObject {
    const before = this.entries.get(key)
    const weight = this.weight + weigh(value) - (before === undefined ? -48 - key.length : weigh(before))
    checkWeight(weight)
    const entries = this.#entries ?? new Map()
    const next = new JqObject(entries, weight)
    effort.made += 48
    entries.set(key, value)
    this.#entries = undefined
    this.supersede(next, key, before)
    return next
  }

  without(keys: Iterable<string>): JqObject {
    const entries = new Map(this.entries)
    for (const key of keys) entries.delete(key)
    return new JqObject(entries)
  }
}

/** Maximum number of elements between the last one of an array and a new one. */
const maxPadding = 4_194_304

export const emptyArray = (): JqArray => new JqArray([], 32)
export const emptyObject = (): JqObject => new JqObject(new Map(), 64)

/** An object of a few fields. */
export const makeObject = (fields: Readonly<Record<string, Value>>): JqObject =>
  new JqObject(new Map(Object.entries(fields)))

/** The kinds of values in the order in which they sort. */
const kinds = ["null", "false", "true", "number", "string", "array", "object"] as const

/** The number of a kind: `null`, `false`, `true`, numbers, strings, arrays, objects. */
export const orderOf = (value: Value): number => {
  switch (typeof value) {
    case "boolean":
      return value ? 2 : 1
    case "number":
      return 3
    case "string":
      return 4
    default:
      return value === null ? 0 : value instanceof JqObject ? 6 : value instanceof JqArray ? 5 : 3
  }
}

export const typeName = (value: Value): string =>
  typeof value === "boolean" ? "boolean" : kinds[orderOf(value)] ?? "null"

export const isTrue = (value: Value): boolean => value !== null && value !== false

/** The double of a number; `undefined` for other values. */
export const numberOf = (value: Value): number | undefined =>
  typeof value === "number" ? value : value instanceof NumberLiteral ? value.value : undefined

/** Number of characters of a long text that are processed at once. */
const piece = 16_384

/** The pieces of a text, none of which ends within a surrogate pair. */
export function* piecesOf(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length;) {
    let end = at + piece
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end--
    yield text.slice(at, end)
    at = end
  }
}

/** Changes a text piece by piece; `start` is the length of the text before the piece. */
export function* mapText(text: string, change: (piece: string) => string, start = 0): Coroutine<string> {
  if (text.length <= piece) return change(text)
  let out = ""
  for (const part of piecesOf(text)) {
    out += change(part)
    checkText(start + out.length)
    yield
  }
  return out
}

/** Compares texts by code points. */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  countText(length)
  if (a === b) return 0
  // Engines compare pieces far faster than a loop does characters.
  let from = 0
  while (from + piece < length && a.slice(from, from + piece) === b.slice(from, from + piece)) from += piece
  for (let at = from; at < length; at++) {
    let left = a.charCodeAt(at)
    let right = b.charCodeAt(at)
    if (left === right) continue
    // Surrogates stand for characters above all others.
    if (left >= 0xd800 && right >= 0xd800) {
      left += left >= 0xe000 ? -0x800 : 0x2000
      right += right >= 0xe000 ? -0x800 : 0x2000
    }
    return left - right
  }
  return a.length - b.length
}

/** Compares the decimal texts of two literals whose doubles are equal. */
const compareLiterals = (a: string, b: string): number => {
  const scale = (text: string): readonly [sign: number, digits: string, exponent: number] => {
    const [, sign = "", whole = "", fraction = "", exponent = "0"] =
      /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(text) ?? []
    const digits = (whole + fraction).replace(/^0+/, "")
    const trimmed = digits.replace(/0+$/, "")
    return [sign === "-" ? -1 : 1, trimmed, trimmed === "" ? 0 : digits.length - fraction.length + Number(exponent)]
  }
  const [sign, digits, exponent] = scale(a)
  const [otherSign, otherDigits, otherExponent] = scale(b)
  if (digits === "" && otherDigits === "") return 0
  if (sign !== otherSign) return sign
  if (exponent !== otherExponent) return sign * (exponent - otherExponent)
  return digits === otherDigits ? 0 : digits < otherDigits ? -sign : sign
}

const compareNumbers = (a: Value, b: Value): number => {
  const left = numberOf(a) ?? 0
  const right = numberOf(b) ?? 0
  if (Number.isNaN(left)) return -1
  if (Number.isNaN(right)) return 1
  if (left !== right) return left < right ? -1 : 1
  return a instanceof NumberLiteral && b instanceof NumberLiteral ? compareLiterals(a.text, b.text) : 0
}

/** The order of two values. */
export const compare = (a: Value, b: Value): number => {
  effort.units++
  if (typeof a === "string" && typeof b === "string") return compareText(a, b)
  const order = orderOf(a)
  const difference = order - orderOf(b)
  if (difference !== 0) return difference
  if (order === 3) return compareNumbers(a, b)
  if (a instanceof JqArray && b instanceof JqArray) {
    const left = a.items
    const right = b.items
    const length = Math.min(left.length, right.length)
    for (let at = 0; at < length; at++) {
      const result = compare(left[at] ?? null, right[at] ?? null)
      if (result !== 0) return result
    }
    return left.length - right.length
  }
  if (a instanceof JqObject && b instanceof JqObject) return compareObjects(a, b)
  return 0
}

const compareObjects = (a: JqObject, b: JqObject): number => {
  const left = a.sortedKeys
  const right = b.sortedKeys
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const result = compareText(left[at] ?? "", right[at] ?? "")
    if (result !== 0) return result
  }
  if (left.length !== right.length) return left.length - right.length
  for (const key of left) {
    const result = compare(a.entries.get(key) ?? null, b.entries.get(key) ?? null)
    if (result !== 0) return result
  }
  return 0
}

export const equals = (a: Value, b: Value): boolean => {
  effort.units++
  if (typeof a === "string" && typeof b === "string") {
    if (a.length !== b.length) return false
    countText(a.length)
    return a === b
  }
  if (typeof a === "string" || typeof a === "number" && typeof b === "number") return a === b
  if (a instanceof JqObject && b instanceof JqObject) {
    if (a.size !== b.size) return false
    for (const [key, value] of a.entries) {
      const other = b.entries.get(key)
      if (other === undefined || !equals(value, other)) return false
    }
    return true
  }
  if (a instanceof JqArray && b instanceof JqArray) {
    return a.length === b.length && a.items.every((item, at) => equals(item, b.items[at] ?? null))
  }
  return compare(a, b) === 0
}

/** Text of a number as jq prints it. */
export const numberText = (value: number | NumberLiteral): string =>
  typeof value === "number" ? formatNumber(value) : value.text

/** Maximum length of a text in a value. */
export const maxTextLength: number = 64 * 1024 * 1024

export const checkText = (length: number): void => {
  if (length > maxTextLength) failLimit(`a text is longer than ${maxTextLength} characters`)
  effort.made += length
}

/** Characters of a text: surrogate pairs count once. */
export const countCodePoints = (text: string): number => {
  if (hasNoPairs(text)) return text.length
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--
  return count
}

// deno-lint-ignore no-control-regex -- ASCII includes control characters
const bmp = /^[\x00-\ud7ff]*$/

/** Whether an index of characters is one of code units, too. */
export const hasNoPairs = (text: string): boolean => bmp.test(text)

/** The code unit at which a character begins. */
export const unitOffset = (text: string, characters: number): number => {
  let at = 0
  for (let count = 0; count < characters && at < text.length; count++) {
    at += (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1
  }
  return at
}
