/** Immutable containers that change in place: the newest version owns the storage. */
import { type Held, TracedValue, type Tracer } from "./Tracer.ts"
import { effort } from "./limits.ts"

/** The difference of an older version of a container from the next one. */
export interface Undo<K, V extends Held> {
  readonly next: Versioned<K, V>
  readonly key: K
  readonly value: V | undefined
}

/**
 * An immutable container whose newest version owns the storage and is changed in place, so that a loop that adds to its state
 * takes constant time for each step. Older versions know how they differ and copy when they are read. Source: Baker, "Shallow
 * Binding Makes Functional Arrays Fast".
 */
export abstract class Versioned<K, V extends Held> extends TracedValue {
  #undo: Undo<K, V> | undefined
  abstract weight: number

  protected abstract copyFrom(newest: Versioned<K, V>): void
  protected abstract revert(undo: Undo<K, V>): void

  protected supersede(next: Versioned<K, V>, key: K, value: V | undefined): void {
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
    const undos: Array<Undo<K, V>> = []
    let newest: Versioned<K, V> | undefined
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
