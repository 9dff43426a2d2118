/**
 * Memories of programs that have ended, for programs that start: making one takes up to 0.7 ms (Bun reserves 4 GiB of
 * addresses for each), clearing a small one takes microseconds.
 *
 * @module
 */

/** Larger ones are not kept: clearing them is no gain. */
const mostPages = 32
/** How many are kept. */
const mostMemories = 16
const pageBytes = 65_536

/** Memories by what they were made with. Only one that never grew comes back. */
export class MemoryPool {
  readonly #spare = new Map<string, Array<WebAssembly.Memory>>()
  #count = 0

  take(minimum: number, maximum: number): WebAssembly.Memory {
    const memory = this.#spare.get(`${minimum} ${maximum}`)?.pop()
    if (memory === undefined) return new WebAssembly.Memory({ initial: minimum, maximum })
    this.#count--
    return memory
  }

  /** No instance may run any more that has it. */
  give(memory: WebAssembly.Memory, minimum: number, maximum: number): void {
    if (this.#count >= mostMemories || minimum > mostPages) return
    if (memory.buffer.byteLength !== minimum * pageBytes) return
    new Uint8Array(memory.buffer).fill(0)
    const key = `${minimum} ${maximum}`
    const spare = this.#spare.get(key) ?? []
    if (spare.length === 0) this.#spare.set(key, spare)
    spare.push(memory)
    this.#count++
  }
}
