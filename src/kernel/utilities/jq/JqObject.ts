/** Immutable objects. */
import type { Tracer } from "./Tracer.ts"
import { type Undo, Versioned } from "./Versioned.ts"
import { checkWeight, effort, weigh } from "./limits.ts"
import { compareText } from "./texts.ts"
import type { Value } from "./values.ts"

export class JqObject extends Versioned<string> {
  #entries: Map<string, Value> | undefined
  weight: number

  /** Takes the entries, which nothing else may change. */
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

  /** To read at once: another version may change them later. */
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

export const emptyObject = (): JqObject => new JqObject(new Map(), 64)

/** An object of a few fields. */
export const makeObject = (fields: Readonly<Record<string, Value>>): JqObject =>
  new JqObject(new Map(Object.entries(fields)))
