/**
 * Builds and caches the states of a deterministic automaton for a regular expression on demand; drops the states when
 * there are too many, and fails after too much work. A transition reads the byte after the current index, so that `$`
 * and `\b` are decided when both neighbours are known; it tells whether a match ends before that byte. Source: Russ
 * Cox, "Regular Expression Matching in the Wild".
 */
import { assertionHolds, Neighbor, neighborOf } from "./assertions.ts"
import type { RegexCode } from "./compile.ts"
import { Op } from "./instructions.ts"
import { RegexError } from "./RegexError.ts"

/** Maximum number of states times classes of bytes, 4 MiB; beyond it all states are dropped. */
const maxCells = 1_000_000

/** Maximum number of instructions that one search follows to make states: about a second without a pause. */
const maxWork = 50_000_000

const maxStateInstructions = 2_000_000

/** The automaton of a pattern without back references. State 0 is dead: nothing can match any more. */
export class Dfa {
  readonly #code: RegexCode
  /** Whether a match must start where the search starts. */
  readonly #anchored: boolean
  /** A byte that ends one text and starts the next. */
  readonly #terminator: number | undefined
  /** The class of each byte; the pattern treats bytes of one class alike. */
  readonly classes: Uint8Array = new Uint8Array(256)
  /** One byte of each class; -1 is the end of the text, the last class. */
  readonly #example: Array<number> = []
  readonly width: number
  /** `table[state * width + class]` is -1 if unknown, else twice the next state, plus 1 if a match ends before the byte. */
  table: Int32Array
  #states: Array<ReadonlyArray<number>> = []
  #neighbors: Array<number> = []
  #ids = new Map<string, number>()
  #kept = 0
  readonly #seen: Uint32Array
  #round = 0
  readonly #stack: Array<number> = []
  /** Instructions followed to make states. */
  work = 0
  /** Number of times that all states were dropped, which invalidates their numbers. */
  epoch = 0

  constructor(code: RegexCode, anchored: boolean, terminator?: number) {
    this.#code = code
    this.#anchored = anchored
    this.#terminator = terminator
    this.#seen = new Uint32Array(code.op.length)
    const keys = new Map<string, number>()
    // Two bytes share a class if they are in the same sets and are the same kind of neighbour.
    const used = [...new Set(code.sets)]
    const key = Array.from({ length: 256 }, (_, byte) => `${byte === terminator ? "t" : this.#neighborOf(byte)}`)
    for (const set of used) for (let byte = 0; byte < 256; byte++) key[byte] += set[byte] === 1 ? "1" : "0"
    key.forEach((name, byte) => {
      let known = keys.get(name)
      if (known === undefined) {
        known = this.#example.push(byte) - 1
        keys.set(name, known)
      }
      this.classes[byte] = known
    })
    this.#example.push(-1)
    this.width = this.#example.length
    this.table = new Int32Array(0)
    this.#forget()
  }

  #neighborOf(byte: number): number {
    return neighborOf(byte, this.#code.utf8)
  }

  /** Drops all states except the dead one and states 1 to 4, which start after each kind of neighbour. */
  #forget(): void {
    this.epoch++
    this.#states = []
    this.#neighbors = []
    this.#ids.clear()
    this.#kept = 0
    this.table = new Int32Array(this.width * 64).fill(-1)
    this.#intern([], -1)
    for (const side of [Neighbor.edge, Neighbor.other, Neighbor.word, Neighbor.newline]) this.#intern([0], side)
    this.table.fill(0, 0, this.width)
  }

  /** The state in which a search after a byte starts; -1 is the edge of the text. */
  begin(before: number): number {
    return 1 + (before < 0 ? Neighbor.edge : this.#neighborOf(before))
  }

  #intern(places: ReadonlyArray<number>, side: number): number {
    const key = `${side}:${places.join()}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#states.push(places) - 1
    this.#neighbors.push(side)
    this.#ids.set(key, id)
    this.#kept += places.length
    if ((id + 1) * this.width > this.table.length) {
      const grown = new Int32Array(this.table.length * 2).fill(-1)
      grown.set(this.table)
      this.table = grown
    }
    return id
  }

  /** Looks up a transition, and makes it if it is unknown. */
  step(state: number, group: number): number {
    const value = this.table[state * this.width + group] ?? -1
    return value < 0 ? this.make(state, group) : value
  }

  make(state: number, group: number): number {
    const { multiline, op, sets, x, y } = this.#code
    if (this.work > maxWork) throw new RegexError("the pattern takes too many steps")
    const byte = this.#example[group] ?? -1
    const ends = byte < 0 || byte === this.#terminator
    const before = this.#neighbors[state] ?? Neighbor.edge
    const after = ends ? Neighbor.edge : this.#neighborOf(byte)
    const round = ++this.#round
    const seen = this.#seen
    const stack = this.#stack
    const next: Array<number> = []
    let matched = 0
    stack.length = 0
    for (const place of this.#states[state] ?? []) stack.push(place)
    stack.reverse()
    while (stack.length > 0) {
      const place = stack.pop() ?? 0
      if (seen[place] === round) continue
      seen[place] = round
      this.work++
      const a = x[place] ?? 0
      switch (op[place]) {
        case Op.set:
          if (!ends && sets[a]?.[byte] === 1) next.push(place + 1)
          break
        case Op.split:
          stack.push(y[place] ?? 0, a)
          break
        case Op.jump:
          stack.push(a)
          break
        case Op.at:
          if (assertionHolds(a, before, after, multiline)) stack.push(place + 1)
          break
        case Op.match:
          matched = 1
          break
        default:
          stack.push(place + 1)
      }
    }
    if (ends && byte >= 0) next.length = 0
    if (!this.#anchored) next.push(0)
    // Sorted, so that equal sets are one state.
    next.sort((a, b) => a - b)
    const hasRoom = (this.#states.length + 1) * this.width < maxCells && this.#kept < maxStateInstructions
    if (!hasRoom) this.#forget()
    const dead = next.length === 0 || byte < 0
    const target = dead ? 0 : this.#intern(next, after)
    const value = target * 2 + matched
    if (hasRoom) this.table[state * this.width + group] = value
    return value
  }
}
