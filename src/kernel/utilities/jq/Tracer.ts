/** Counts the bytes of all values that a jq program can reach, each container once, as the mark phase of a collector does. */
import type { Coroutine } from "../../Coroutine.ts"

/** A part of the state of a program that holds values or other parts. */
export interface Traced {
  /** The trace that has counted it last. */
  mark: number
  /** Counts its own bytes, and reaches what it holds. */
  readonly trace: (tracer: Tracer) => void
}

/** A value that has parts. */
export abstract class TracedValue implements Traced {
  mark = 0
  abstract trace(tracer: Tracer): void
}

export type Held = null | boolean | number | string | TracedValue | { readonly weight: number }

/** Number of parts that are counted in one step. */
const partsPerStep = 8_192

let traces = 0

export class Tracer {
  readonly #mark = ++traces
  readonly #queue: Array<Traced> = []
  #steps = 0
  bytes = 0

  /** Visits a part later, unless it was visited before. */
  reach(part: Traced | undefined): void {
    if (part === undefined || part.mark === this.#mark) return
    part.mark = this.#mark
    this.#queue.push(part)
  }

  /** Whether a step of a path was not counted yet; marks it, and counts its own bytes. */
  isNew(part: { mark?: number }): boolean {
    if (part.mark === this.#mark) return false
    part.mark = this.#mark
    this.bytes += 32
    this.#steps++
    return true
  }

  value(value: Held | undefined): void {
    if (typeof value === "string") this.bytes += value.length + 16
    else if (typeof value === "object" && value !== null) {
      if (value instanceof TracedValue) this.reach(value)
      else this.bytes += value.weight
    }
  }

  values(values: Iterable<Held>): void {
    for (const value of values) {
      this.#steps++
      this.bytes += 8
      this.value(value)
    }
  }

  /** Visits all parts; returns the bytes. */
  *run(): Coroutine<number> {
    for (let part = this.#queue.pop(); part !== undefined; part = this.#queue.pop()) {
      part.trace(this)
      if (++this.#steps < partsPerStep) continue
      this.#steps = 0
      yield
    }
    return this.bytes
  }
}
