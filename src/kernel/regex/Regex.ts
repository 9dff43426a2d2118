/**
 * Regular expressions of POSIX over bytes, with the leftmost longest match, in linear time: a hostile pattern cannot
 * hang who runs it. Patterns with back references are tried way by way; those, and patterns so large that linear is long,
 * are given up after a number of steps.
 *
 * @module
 */
import { toBinary } from "./bytes.ts"
import { backtrack } from "./backtrack.ts"
import { type Code, compile, Op } from "./compile.ts"
import { Dfa } from "./Dfa.ts"
import { At, foldCase, type Node } from "./Node.ts"
import { Parser, RegexError, type Syntax } from "./parse.ts"
import { pike } from "./Pike.ts"

export { RegexError } from "./parse.ts"

/** How patterns are meant. */
export interface RegexOptions extends Syntax {
  /** The patterns are texts, not expressions. */
  readonly fixed?: boolean | undefined
  /** `^` and `$` match at every newline. */
  readonly multiline?: boolean | undefined
  /** Only whole words, or whole lines. */
  readonly whole?: "word" | "line" | undefined
  /** The byte between the texts that `scan` goes through. Default: newline. */
  readonly terminator?: number | undefined
}

const codes = (pattern: string, utf8: boolean): Array<number> =>
  Array.from(utf8 ? pattern : toBinary(pattern), (letter) => letter.codePointAt(0) ?? 0)

/** What `scan` answers when it has worked so long that others should have their turn. */
export const pause: -2 = -2

/** A set of patterns; it matches where one of them does. Texts are binary strings. */
export class Regex {
  readonly #code: Code
  readonly #options: RegexOptions
  readonly #multiline: boolean
  readonly #wide: boolean
  readonly #backReferences: boolean
  readonly groups: number
  /** Bytes with which a match can begin; `undefined` when it may be empty. */
  readonly #first: Uint8Array | undefined
  #anchored: Dfa | undefined
  #search: Dfa | undefined
  #lines: Dfa | undefined
  /** Where the last match of `exec` was. */
  start = 0
  end = 0
  #state = -1

  /** Throws `RegexError` when a pattern cannot be read. */
  constructor(patterns: ReadonlyArray<string>, options: RegexOptions = {}) {
    this.#options = options
    this.#multiline = options.multiline === true
    this.#wide = options.utf8 === true
    let groups = 0
    let back = false
    const ways = patterns.map((pattern): Node => {
      const text = codes(pattern, this.#wide)
      if (options.fixed) {
        const of = text.map((code): Node => ({
          _tag: "Set",
          ranges: options.ignoreCase ? foldCase([code, code], this.#wide) : [code, code],
        }))
        return { _tag: "All", of }
      }
      const parser = new Parser(text, options, groups)
      const node = parser.parse()
      groups = parser.groups
      back ||= parser.backReferences
      return node
    })
    const any: Node = { _tag: "Any", of: ways }
    const at = (what: number): Node => ({ _tag: "At", what })
    const around = options.whole === "word" ? [At.noWordBefore, At.noWordAfter] : [At.lineStart, At.lineEnd]
    const root: Node = options.whole === undefined
      ? any
      : { _tag: "All", of: [at(around[0] ?? 0), any, at(around[1] ?? 0)] }
    this.groups = groups
    this.#backReferences = back
    this.#code = ways.length === 0
      ? compile({ _tag: "Set", ranges: [] }, 0, false, false)
      : compile(root, groups, this.#wide, back)
    this.#first = this.#firsts()
  }

  #firsts(): Uint8Array | undefined {
    const { op, sets, x, y } = this.#code
    const first = new Uint8Array(256)
    const seen = new Set<number>()
    const stack = [0]
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (seen.has(place)) continue
      seen.add(place)
      const kind = op[place]
      const a = x[place] ?? 0
      if (kind === Op.match || kind === Op.back) return undefined
      if (kind === Op.set) sets[a]?.forEach((flag, byte) => flag === 1 && (first[byte] = 1))
      else if (kind === Op.split) stack.push(a, y[place] ?? 0)
      else stack.push(kind === Op.jump ? a : place + 1)
    }
    return first
  }

  #dfa(anchored: boolean, terminator?: number): Dfa {
    return new Dfa(this.#code, {
      anchored,
      multiline: this.#multiline,
      wide: this.#wide,
      ...(terminator === undefined ? {} : { terminator }),
    })
  }

  /** Whether there is a match in the text, from a place on. */
  test(text: string, from = 0): boolean {
    if (this.#backReferences) return this.#slots(text, from) !== undefined
    const dfa = this.#search ??= this.#dfa(false)
    dfa.work = 0
    const { classes, width } = dfa
    let table = dfa.table
    let state = dfa.begin(from > 0 ? text.charCodeAt(from - 1) : -1)
    for (let at = from; at < text.length; at++) {
      const group = classes[text.charCodeAt(at)] ?? 0
      let value = table[state * width + group] ?? -1
      if (value < 0) {
        value = dfa.make(state, group)
        table = dfa.table
      }
      if ((value & 1) === 1) return true
      state = value >> 1
    }
    return (dfa.step(state, width - 1) & 1) === 1
  }

  /** The end of the longest match that begins at a place, or -1. */
  #longest(dfa: Dfa, text: string, from: number): number {
    const { classes, width } = dfa
    let table = dfa.table
    let state = dfa.begin(from > 0 ? text.charCodeAt(from - 1) : -1)
    let last = -1
    for (let at = from; state !== 0; at++) {
      const group = at < text.length ? classes[text.charCodeAt(at)] ?? 0 : width - 1
      let value = table[state * width + group] ?? -1
      if (value < 0) {
        value = dfa.make(state, group)
        table = dfa.table
      }
      if ((value & 1) === 1) last = at
      this.#spent++
      state = value >> 1
    }
    return last
  }

  #spent = 0

  /** Finds the leftmost longest match that begins at `from` or later: `start` and `end` tell where. */
  exec(text: string, from = 0): boolean {
    if (this.#backReferences) return this.#found(this.#slots(text, from))
    const dfa = this.#anchored ??= this.#dfa(true)
    const first = this.#first
    dfa.work = 0
    this.#spent = 0
    let tested = false
    for (let at = from; at <= text.length; at++) {
      if (first !== undefined) {
        while (at < text.length && first[text.charCodeAt(at)] === 0) at++
        if (at === text.length) return false
      }
      const end = this.#longest(dfa, text, at)
      if (end >= 0) {
        this.start = at
        this.end = end
        return true
      }
      // Where tries in vain add up to more than the text, two ways that are linear in it decide.
      if (this.#spent > 256 + 2 * text.length) {
        if (!tested && !this.test(text, at + 1)) return false
        if (tested) return this.#found(this.#pike(text, at + 1, false))
        tested = true
        this.#spent = 0
      }
    }
    return false
  }

  #found(slots: Int32Array | undefined): boolean {
    if (slots === undefined) return false
    this.start = slots[0] ?? 0
    this.end = slots[1] ?? 0
    return true
  }

  #pike(text: string, from: number, anchored: boolean, to?: number): Int32Array | undefined {
    return pike(this.#code, text, { anchored, from, multiline: this.#multiline, to, wide: this.#wide })
  }

  #slots(text: string, from: number): Int32Array | undefined {
    return backtrack(this.#code, text, from, {
      ignoreCase: this.#options.ignoreCase === true,
      multiline: this.#multiline,
      wide: this.#wide,
    })
  }

  /** The groups of the match that `exec` found: pairs of start and end, -1 when a group took no part. */
  captures(text: string): Int32Array {
    const slots = this.#backReferences
      ? this.#slots(text, this.start)
      : this.groups === 0
      ? undefined
      : this.#pike(text, this.start, true, this.end)
    return slots ?? Int32Array.of(this.start, this.end)
  }

  /** Whether `scan` can be used. */
  get scans(): boolean {
    return !this.#backReferences
  }

  /**
   * Looks through bytes for the first text with a match, texts being ended by the terminator: a place within it or at
   * its terminator, -1 when there is none, or `pause`: then call it again with `at`. The bytes end with a terminator, or
   * `last` is given.
   */
  scan(bytes: Uint8Array, from: number, to: number, last: boolean): number {
    const dfa = this.#lines ??= this.#dfa(false, this.#options.terminator ?? 10)
    const { classes, width } = dfa
    let table = dfa.table
    let state = this.#state < 0 ? dfa.begin(-1) : this.#state
    this.#state = -1
    dfa.work = 0
    for (let at = from; at < to; at++) {
      const group = classes[bytes[at] ?? 0] ?? 0
      let value = table[state * width + group] ?? -1
      if (value < 0) {
        value = dfa.make(state, group)
        table = dfa.table
        if (dfa.work > 500_000 && (value & 1) === 0) {
          this.#state = value >> 1
          this.at = at + 1
          return pause
        }
      }
      if ((value & 1) === 1) return at
      state = value >> 1
    }
    return last && (dfa.step(state, width - 1) & 1) === 1 ? to : -1
  }

  /** Where to go on after `pause`. */
  at = 0
}

/** A pattern, or what is wrong with it. */
export const regex = (patterns: ReadonlyArray<string>, options: RegexOptions): Regex | string => {
  try {
    return new Regex(patterns, options)
  } catch (cause) {
    if (cause instanceof RegexError) return cause.message
    throw cause
  }
}
