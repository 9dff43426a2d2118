/**
 * One search of a text by an automaton, in slices: who runs it may let others run between two of them. What tries in vain
 * have read is not read again, so that all tries together are linear in the text.
 *
 * Source: Thomas Reps, "Maximal-Munch Tokenization in Linear Time".
 *
 * @module
 */
import type { Dfa } from "./Dfa.ts"

/** Bytes that one slice reads: about a millisecond. */
const sliceBytes = 131_072

/** What making one state costs, in bytes read, for each instruction that is followed. */
const costOfWork = 4

/** States at places that are a multiple of this are remembered when no match came of them. */
const checkpoint = 64

/** What tries in vain have shown: kept by who searches one text again and again. */
export class FailureMemo {
  #epoch = -1
  readonly #places = new Map<number, Set<number>>()

  /** Forgets what does not hold any more when the automaton's states mean something else. */
  attach(epoch: number): void {
    if (epoch === this.#epoch) return
    this.#places.clear()
    this.#epoch = epoch
  }

  has(state: number, place: number): boolean {
    return this.#places.get(state)?.has(place) === true
  }

  add(state: number, place: number): void {
    const places = this.#places.get(state)
    if (places === undefined) this.#places.set(state, new Set([place]))
    else places.add(place)
  }
}

/** How to search. */
export interface DfaSearchOptions {
  /** Bytes with which a match can begin; `undefined` when it may be empty. */
  readonly first: Uint8Array | undefined
  /** Of this text; `undefined` asks only whether there is a match, with an automaton that is not anchored. */
  readonly failures: FailureMemo | undefined
}

/** The leftmost longest match from a place on. */
export class DfaSearch {
  readonly #dfa: Dfa
  readonly #text: string
  readonly #first: Uint8Array | undefined
  readonly #failures: FailureMemo | undefined
  /** Where the match begins that is tried, and ends as far as is known; -1 when it does not. */
  start: number
  end = -1
  /** Where it is read next; -1 before the first byte of a try. */
  #at = -1
  #state = 0
  #epoch = -1
  /** Checkpoints since a match was seen: a state, its place, and so on. */
  #passed: Array<number> = []

  constructor(dfa: Dfa, text: string, from: number, { failures, first }: DfaSearchOptions) {
    this.#dfa = dfa
    this.#text = text
    this.start = from
    this.#first = first
    this.#failures = failures
  }

  /** Reads on; whether it is decided. There is a match when `end` is not -1 then. */
  run(): boolean {
    const text = this.#text
    const dfa = this.#dfa
    let credits = sliceBytes
    // Another search may have made the automaton forget its states: this try begins again.
    if (this.#epoch !== dfa.epoch) this.#at = this.end = -1
    while (credits > 0) {
      if (this.#at < 0) {
        const stop = Math.min(text.length, this.start + credits)
        credits -= this.#skip(stop) + 1
        if (this.#first !== undefined && this.start === stop) {
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
      if (this.end >= 0 || this.#failures === undefined) return true
      for (let at = 0; at < this.#passed.length; at += 2) {
        this.#failures.add(this.#passed[at] ?? 0, this.#passed[at + 1] ?? 0)
      }
      this.start++
    }
    return false
  }

  /** Leaves out bytes with which nothing begins; answers with how many. */
  #skip(stop: number): number {
    const first = this.#first
    const from = this.start
    if (first === undefined) return 0
    let at = from
    while (at < stop && first[this.#text.charCodeAt(at)] === 0) at++
    this.start = at
    return at - from
  }

  /** Reads from where it is; -1 is the place when the try is over. Answers with what is left of the credits. */
  #read(credits: number): number {
    const text = this.#text
    const dfa = this.#dfa
    const failures = this.#failures
    const { classes, width } = dfa
    const any = failures === undefined
    failures?.attach(dfa.epoch)
    let left = credits
    let { table } = dfa
    let state = this.#state
    let at = this.#at
    let stop = Math.min(text.length + 1, at + left)
    const from = at
    for (; state !== 0 && at < stop; at++) {
      if (failures !== undefined && (at & (checkpoint - 1)) === 0 && at > this.start) {
        if (failures.has(state, at)) {
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
        const cost = (dfa.work - work) * costOfWork
        dfa.work = 0
        left -= cost
        stop = Math.max(at + 1, Math.min(stop, from + left))
        if (dfa.epoch !== epoch) {
          this.#passed.length = 0
          failures?.attach(dfa.epoch)
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
