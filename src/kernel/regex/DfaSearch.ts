/**
 * Searches a text for the leftmost longest match, in slices between which other processes can run. States that led to no match
 * are remembered, so that the time is linear. Source: Thomas Reps, "Maximal-Munch Tokenization in Linear Time".
 */
import type { Dfa } from "./Dfa.ts"

/** Bytes that one slice reads, in about a millisecond. */
const sliceBytes = 131_072

/** The cost of following one instruction to make a state, in equivalent bytes read. */
const workCost = 4

/** Distance of the indexes at which failed states are remembered; a power of 2. */
const checkpointInterval = 64

/** Remembers the states of one text that led to no match. */
export class FailureMemo {
  #epoch = -1
  #places: Map<number, Set<number>> | undefined

  /** Forgets everything if the automaton has forgotten its states. */
  attach(epoch: number): void {
    if (epoch === this.#epoch) return
    this.#places = undefined
    this.#epoch = epoch
  }

  has(state: number, place: number): boolean {
    return this.#places?.get(state)?.has(place) === true
  }

  add(state: number, place: number): void {
    const all = this.#places ??= new Map()
    const places = all.get(state)
    if (places === undefined) all.set(state, new Set([place]))
    else places.add(place)
  }
}

export interface Match {
  readonly start: number
  readonly end: number
}

export class DfaSearch {
  readonly #dfa: Dfa
  readonly #text: string
  readonly #firstBytes: Uint8Array | undefined
  readonly #memo: FailureMemo | undefined
  /** Start of the current try, and the end of its longest match so far; -1 if there is none. */
  start: number
  end = -1
  /** The next index to read; -1 before the first byte of a try. */
  #at = -1
  #state = 0
  #epoch = -1
  /** Checkpoints since the last match: pairs of a state and its index. */
  #passed: Array<number> = []

  /** `firstBytes`: flags of the bytes that a match can start with. Without `memo` it is not anchored, and any match ends it. */
  constructor(dfa: Dfa, text: string, from: number, firstBytes?: Uint8Array, memo?: FailureMemo) {
    this.#dfa = dfa
    this.#text = text
    this.start = from
    this.#firstBytes = firstBytes
    this.#memo = memo
  }

  /** The match, once `run` has returned `true`. */
  get match(): Match | undefined {
    return this.end < 0 ? undefined : this
  }

  /** Reads one slice. Returns whether the search is decided. */
  run(): boolean {
    const text = this.#text
    const dfa = this.#dfa
    let credits = sliceBytes
    // The automaton has forgotten its states during another search: restart this try.
    if (this.#epoch !== dfa.epoch) this.#at = this.end = -1
    while (credits > 0) {
      if (this.#at < 0) {
        const stop = Math.min(text.length, this.start + credits)
        credits -= this.#skip(stop) + 1
        if (this.#firstBytes !== undefined && this.start === stop) {
          if (stop === text.length) return true
          continue
        }
        if (this.start > text.length) return true
        this.#at = this.start
        this.#state = dfa.begin(this.start > 0 ? text.charCodeAt(this.start - 1) : -1)
        this.#passed.length = 0
      }
      credits = this.#read(credits)
      if (this.#at >= 0) continue
      if (this.#memo === undefined) return true
      // No match followed these checkpoints, whether or not one came before them.
      for (let at = 0; at < this.#passed.length; at += 2) {
        this.#memo.add(this.#passed[at] ?? 0, this.#passed[at + 1] ?? 0)
      }
      if (this.end >= 0) return true
      this.start++
    }
    return false
  }

  /** Skips bytes that start no match; returns their number. */
  #skip(stop: number): number {
    const first = this.#firstBytes
    const from = this.start
    if (first === undefined) return 0
    let at = from
    while (at < stop && first[this.#text.charCodeAt(at)] === 0) at++
    this.start = at
    return at - from
  }

  /** Continues the try, whose index is -1 afterwards if it is over. Returns the remaining credits. */
  #read(credits: number): number {
    const text = this.#text
    const dfa = this.#dfa
    const memo = this.#memo
    const { classes, width } = dfa
    const any = memo === undefined
    memo?.attach(dfa.epoch)
    let left = credits
    let { table } = dfa
    let state = this.#state
    let at = this.#at
    let stop = Math.min(text.length + 1, at + left)
    const from = at
    for (; state !== 0 && at < stop; at++) {
      if (memo !== undefined && (at & (checkpointInterval - 1)) === 0 && at > this.start) {
        if (memo.has(state, at)) {
          state = 0
          break
        }
        this.#passed.push(state, at)
      }
      const group = at < text.length ? classes[text.charCodeAt(at)] ?? 0 : width - 1
      let value = table[state * width + group] ?? -1
      if (value < 0) {
        const { epoch, work } = dfa
        value = dfa.make(state, group)
        table = dfa.table
        const cost = (dfa.work - work) * workCost
        dfa.work = 0
        left -= cost
        stop = Math.max(at + 1, Math.min(stop, from + left))
        if (dfa.epoch !== epoch) {
          this.#passed.length = 0
          memo?.attach(dfa.epoch)
        }
      }
      if ((value & 1) === 1) {
        this.end = at
        this.#passed.length = 0
        if (any) {
          state = 0
          break
        }
      }
      state = value >> 1
    }
    this.#state = state
    this.#epoch = dfa.epoch
    this.#at = state === 0 || at > text.length ? -1 : at
    return left - (at - from)
  }
}
