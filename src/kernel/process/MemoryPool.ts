/**
 * Memories of programs that have ended, for programs that start: clearing a small one takes microseconds, making one
 * 20 µs, and on Bun the more the more there are: 600 programs at once took 39 s, and 0.7 s with
 * `BUN_JSC_useWasmFastMemory=0` in its environment.
 *
 * @module
 */

/** Larger ones are not kept: clearing them is no gain. */
const mostPages = 32
/** Pages that are kept in all: 32 MiB. */
const mostSpare = 512
const pageBytes = 65_536

/** Memories by what they were made with. Only one that never grew comes back. */
export class MemoryPool {
  readonly #spare = new Map<string, Array<WebAssembly.Memory>>()
  #pages = 0

  take(minimum: number, maximum: number): WebAssembly.Memory {
    const memory = this.#spare.get(`${minimum} ${maximum}`)?.pop()
    if (memory === undefined) return new WebAssembly.Memory({ initial: minimum, maximum })
    this.#pages -= minimum
    return memory
  }

  /** No instance may run any more that has it. */
  give(memory: WebAssembly.Memory, minimum: number, maximum: number): void {
    if (minimum > mostPages || this.#pages + minimum > mostSpare) return
    if (memory.buffer.byteLength !== minimum * pageBytes) return
    new Uint8Array(memory.buffer).fill(0)
    const key = `${minimum} ${maximum}`
    const spare = this.#spare.get(key) ?? []
    if (spare.length === 0) this.#spare.set(key, spare)
    spare.push(memory)
    this.#pages += minimum
  }
}
