/** Immutable arrays. */
import type { Tracer } from "./Tracer.ts"
import { type Undo, Versioned } from "./Versioned.ts"
import { checkWeight, effort, failLimit, weigh } from "./limits.ts"
import type { Value } from "./values.ts"

export class JqArray extends Versioned<number> {
  #items: Array<Value> | undefined
  weight: number

  /** Takes the items, which nothing else may change. */
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

  /** To read at once: another version may change them later. */
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

/** Elements between the last one of an array and one that is set. */
const maxPadding = 4_194_304

export const emptyArray = (): JqArray => new JqArray([], 32)
