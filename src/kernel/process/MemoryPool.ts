/**
 * Keeps the memories of ended WASM programs for the next ones. Clearing a small memory takes microseconds; making one
 * takes 20 µs, and on Bun ever longer: 600 programs at once took 39 s.
 */

/** Larger memories are not kept: clearing them is no faster than making them. */
const maxPages = 32
/** Pages kept in total: 32 MiB. */
const maxSparePages = 512
const pageBytes = 65_536

/** Spare memories by their minimum and maximum. A memory that has grown is not kept. */
export class MemoryPool {
  readonly #spare = new Map<string, Array<WebAssembly.Memory>>()
  #pages = 0

  take(minimum: number, maximum: number): WebAssembly.Memory {
    const memory = this.#spare.get(`${minimum} ${maximum}`)?.pop()
    if (memory === undefined) return new WebAssembly.Memory({ initial: minimum, maximum })
    this.#pages -= minimum
    return memory
  }

  /** Returns a memory to the pool. No instance may use it any more. */
  give(memory: WebAssembly.Memory, minimum: number, maximum: number): void {
    if (minimum > maxPages || this.#pages + minimum > maxSparePages) return
    if (memory.buffer.byteLength !== minimum * pageBytes) return
    new Uint8Array(memory.buffer).fill(0)
    const key = `${minimum} ${maximum}`
    const spare = this.#spare.get(key) ?? []
    if (spare.length === 0) this.#spare.set(key, spare)
    spare.push(memory)
    this.#pages += minimum
  }
}
