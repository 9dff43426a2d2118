/**
 * Matching in time linear in the text, whatever the pattern: states of a deterministic automaton that are made as the
 * text asks for them. A transition looks at the byte after the place, so that `$`, `\b` and their like are decided when
 * both neighbours are known, and tells whether a match ends before that byte.
 *
 * Source: Russ Cox, "Regular Expression Matching in the Wild".
 *
 * @module
 */
import { Op, type RegexCode } from "./compile.ts"
import { Assertion } from "./RegexNode.ts"
import { RegexError } from "./RegexError.ts"

/** What stands beside a place. */
export const Neighbor = { edge: 0, other: 1, word: 2, newline: 3 } as const

/** States × classes of bytes that are kept, then all is forgotten: 4 MiB. */
const maxCells = 1_000_000

/** Instructions that one search may take for making states: a second or so, in which nothing else runs. */
const maxWork = 50_000_000

/** Instructions that are kept within states. */
const maxStateInstructions = 2_000_000

/** Whether an assertion holds between two sides. */
export const assertionHolds = (what: number, before: number, after: number, multiline: boolean): boolean => {
  const word = before === Neighbor.word
  const wordAfter = after === Neighbor.word
  switch (what) {
    case Assertion.lineStart:
      return before === Neighbor.edge || (multiline && before === Neighbor.newline)
    case Assertion.lineEnd:
      return after === Neighbor.edge || (multiline && after === Neighbor.newline)
    case Assertion.textStart:
      return before === Neighbor.edge
    case Assertion.textEnd:
      return after === Neighbor.edge
    case Assertion.wordEdge:
      return word !== wordAfter
    case Assertion.noWordEdge:
      return word === wordAfter
    case Assertion.wordStart:
      return !word && wordAfter
    case Assertion.wordEnd:
      return word && !wordAfter
    case Assertion.noWordBefore:
      return !word
    default:
      return !wordAfter
  }
}

/** What kind of neighbour a byte is. In UTF-8 the bytes of characters beyond ASCII count as letters. */
export const neighborOf = (byte: number, utf8: boolean): number =>
  byte === 10
    ? Neighbor.newline
    : (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte === 95 ||
        (utf8 && byte >= 128)
    ? Neighbor.word
    : Neighbor.other

/** How an automaton matches. */
export interface DfaOptions {
  /** Matches only where it starts. */
  readonly anchored: boolean
  /** This byte ends a text and begins the next. */
  readonly terminator?: number
  readonly multiline: boolean
  readonly utf8: boolean
}

/** The automaton of a pattern without back references. */
export class Dfa {
  readonly #code: RegexCode
  readonly #options: DfaOptions
  /** The class of each byte. Bytes of one class are the same to the pattern. */
  readonly classes: Uint8Array = new Uint8Array(256)
  /** Which byte stands for a class; -1 is the end of the text, the last class. */
  readonly #example: Array<number> = []
  readonly width: number
  /** `table[state * width + class]`: -1 not known yet, else twice the next state, and 1 when a match ends before. */
  table: Int32Array
  #states: Array<ReadonlyArray<number>> = []
  #sides: Array<number> = []
  #ids = new Map<string, number>()
  #kept = 0
  readonly #seen: Uint32Array
  #round = 0
  readonly #stack: Array<number> = []
  /** Steps spent on making states: how much slower than a table it was. */
  work = 0
  /** Counts how often all states were forgotten: numbers of states before mean nothing. */
  epoch = 0

  constructor(code: RegexCode, options: DfaOptions) {
    this.#code = code
    this.#options = options
    this.#seen = new Uint32Array(code.op.length)
    const keys = new Map<string, number>()
    // Two bytes are of one class when they are in the same sets and are the same kind of neighbour.
    const used = [...new Set(code.sets)]
    const key = Array.from({ length: 256 }, (_, byte) => `${byte === options.terminator ? "t" : this.#side(byte)}`)
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

  #side(byte: number): number {
    return neighborOf(byte, this.#options.utf8)
  }

  /** State 0 is dead: nothing can match any more. States 1 to 4 begin after each kind of neighbour. */
  #forget(): void {
    this.epoch++
    this.#states = []
    this.#sides = []
    this.#ids.clear()
    this.#kept = 0
    this.table = new Int32Array(this.width * 64).fill(-1)
    this.#intern([], -1)
    for (const side of [Neighbor.edge, Neighbor.other, Neighbor.word, Neighbor.newline]) this.#intern([0], side)
    this.table.fill(0, 0, this.width)
  }

  /** The state in which to begin after a byte; -1 is the edge of the text. */
  begin(before: number): number {
    return 1 + (before < 0 ? Neighbor.edge : this.#side(before))
  }

  #intern(places: ReadonlyArray<number>, side: number): number {
    const key = `${side}:${places.join()}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#states.push(places) - 1
    this.#sides.push(side)
    this.#ids.set(key, id)
    this.#kept += places.length
    if ((id + 1) * this.width > this.table.length) {
      const grown = new Int32Array(this.table.length * 2).fill(-1)
      grown.set(this.table)
      this.table = grown
    }
    return id
  }

  /** One transition. */
  step(state: number, group: number): number {
    const value = this.table[state * this.width + group] ?? -1
    return value < 0 ? this.make(state, group) : value
  }

  /** Makes the transition that the table does not know yet. */
  make(state: number, group: number): number {
    const { op, sets, x, y } = this.#code
    const { anchored, multiline, terminator } = this.#options
    if (this.work > maxWork) throw new RegexError("the pattern takes too many steps")
    const byte = this.#example[group] ?? -1
    const ends = byte < 0 || byte === terminator
    const before = this.#sides[state] ?? Neighbor.edge
    const after = ends ? Neighbor.edge : this.#side(byte)
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
    if (!anchored) next.push(0)
    // In order, so that one set of places is one state.
    next.sort((a, b) => a - b)
    const room = (this.#states.length + 1) * this.width < maxCells && this.#kept < maxStateInstructions
    if (!room) this.#forget()
    const dead = next.length === 0 || byte < 0
    const target = dead ? 0 : this.#intern(next, after)
    const value = target * 2 + matched
    if (room) this.table[state * this.width + group] = value
    return value
  }
}
