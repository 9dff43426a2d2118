/** Declares the values of jq: immutable, and changed in place by their newest version. Source: jq(1), jv.c of jq 1.7.1. */
import type { Tracer } from "./Tracer.ts"
import { type Undo, Versioned } from "./Versioned.ts"
import { checkWeight, effort, failLimit } from "./limits.ts"
import { formatNumber } from "./numbers.ts"
import { compareText } from "./texts.ts"

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

/** Text of a number as jq prints it. */
export const numberText = (value: number | NumberLiteral): string =>
  typeof value === "number" ? formatNumber(value) : value.text

/** Approximate bytes of a value, including its parts; shared parts count each time. */
export const weigh = (value: Value): number =>
  typeof value === "string" ? value.length + 16 : typeof value !== "object" || value === null ? 8 : value.weight

export class JqArray extends Versioned<number, Value> {
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

  protected override copyFrom(newest: Versioned<number, Value>): void {
    if (newest instanceof JqArray) this.#items = [...newest.items]
  }

  protected override revert({ key, value }: Undo<number, Value>): void {
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

/** Maximum number of elements between the last one of an array and a new one. */
const maxPadding = 4_194_304

export const emptyArray = (): JqArray => new JqArray([], 32)

export class JqObject extends Versioned<string, Value> {
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

  protected override copyFrom(newest: Versioned<string, Value>): void {
    if (newest instanceof JqObject) this.#entries = new Map(newest.entries)
  }

  protected override revert({ key, value }: Undo<string, Value>): void {
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

export const emptyObject = (): JqObject => new JqObject(new Map(), 64)

/** An object of a few fields. */
export const makeObject = (fields: Readonly<Record<string, Value>>): JqObject =>
  new JqObject(new Map(Object.entries(fields)))
