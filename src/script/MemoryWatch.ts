/**
 * Ends scripts before they use up the memory of this process: other limits bound each value, but not the total of all
 * subshells.
 */
import { memoryOfProcess, type ProcessMemory } from "./memoryOfProcess.ts"

const lookEveryMillis = 25

/** The fraction of the limit above which garbage is collected, and a script is ended if that does not help. */
const maxPart = 0.85
/** The fraction above which that is done at each check instead of once a second, because a collection takes time. */
const fullPart = 0.95
const looksBetween = 40
/**
 * The fraction of the limit that all scripts together must hold before one is ended; below it, the program itself uses
 * the memory.
 */
const minHeldPart = 0.1

export interface WatchedScript {
  /** Milliseconds that its processes have computed. */
  readonly busyMillis: () => number
  readonly end: () => void
}

/** Memory that is attributed to a script: the growth that was measured while it computed. */
interface Share {
  busy: number
  bytes: number
}

export class MemoryWatch {
  readonly #memory: ProcessMemory
  readonly #shares = new Map<WatchedScript, Share>()
  #timer: ReturnType<typeof setInterval> | undefined
  #used = 0
  #looksSince = looksBetween

  constructor(memory: ProcessMemory) {
    this.#memory = memory
  }

  watch(script: WatchedScript): () => void {
    if (this.#memory.limit === Infinity) return () => {}
    this.#shares.set(script, { busy: script.busyMillis(), bytes: 0 })
    if (this.#timer === undefined) {
      this.#used = this.#memory.used()
      this.#timer = setInterval(() => this.look(), lookEveryMillis)
    }
    return () => this.#forget(script)
  }

  #forget(script: WatchedScript): void {
    this.#shares.delete(script)
    if (this.#shares.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  look(): void {
    const { collectGarbage, limit } = this.#memory
    const used = this.#measure()
    this.#looksSince++
    if (used <= maxPart * limit || (this.#looksSince < looksBetween && used <= fullPart * limit)) return
    const byShare = [...this.#shares].toSorted(([, one], [, other]) => other.bytes - one.bytes)
    const [largest] = byShare
    if (largest === undefined || byShare.reduce((sum, [, { bytes }]) => sum + bytes, 0) < minHeldPart * limit) return
    this.#looksSince = 0
    collectGarbage()
    if (this.#measure() <= maxPart * limit) return
    // Its memory is garbage at the next check.
    this.#looksSince = looksBetween
    this.#forget(largest[0])
    largest[0].end()
  }

  #measure(): number {
    const used = this.#memory.used()
    this.#divide(used)
    this.#used = used
    return used
  }

  /** Charges growth to the scripts that computed meanwhile, and credits collected memory to all. */
  #divide(used: number): void {
    const grown = used - this.#used
    const computed = [...this.#shares].map(([script, share]) => {
      const busy = script.busyMillis()
      const since = busy - share.busy
      share.busy = busy
      return { share, since }
    })
    const total = computed.reduce((sum, { since }) => sum + since, 0)
    for (const { share, since } of computed) {
      if (grown < 0) share.bytes *= used / this.#used
      else if (total > 0) share.bytes += grown * (since / total)
    }
  }
}

let watch: MemoryWatch | undefined

/** Watches a script in this process until the returned function is called. */
export const watchMemory = (script: WatchedScript): () => void => {
  watch ??= new MemoryWatch(memoryOfProcess())
  return watch.watch(script)
}
