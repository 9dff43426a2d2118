/**
 * Regular expressions of POSIX over bytes, with the leftmost longest match, in linear time: a hostile pattern cannot
 * hang who runs it. Patterns with back references are tried way by way; those, and patterns so large that linear is long,
 * are given up after a number of steps.
 *
 * @module
 */
import { textToBinary } from "../binaryString.ts"
import { backtrack } from "./backtrack.ts"
import { compileNode, Op, type RegexCode } from "./compile.ts"
import { Dfa } from "./Dfa.ts"
import { DfaSearch, FailureMemo } from "./DfaSearch.ts"
import { type Coroutine, runCoroutine, runCoroutineSync } from "../Coroutine.ts"
import type { Later, System } from "../System.ts"
import { Assertion, foldCase, type RegexNode } from "./RegexNode.ts"
import { RegexError } from "./RegexError.ts"
import { RegexParser, type RegexSyntax } from "./RegexParser.ts"
import { runPikeVm } from "./runPikeVm.ts"

export { FailureMemo as Failures } from "./DfaSearch.ts"
export { RegexError } from "./RegexError.ts"

/** How patterns are meant. */
export interface RegexOptions extends RegexSyntax {
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
  Array.from(utf8 ? pattern : textToBinary(pattern), (letter) => letter.codePointAt(0) ?? 0)

/** Where a match is. */
interface Match {
  readonly start: number
  readonly end: number
}

const matchOf = (slots: Int32Array | undefined): Match | undefined =>
  slots === undefined ? undefined : { start: slots[0] ?? 0, end: slots[1] ?? 0 }

function* running(search: DfaSearch): Coroutine<void> {
  do yield
  while (!search.run())
}

const then = <A, B>(value: Later<A>, next: (value: A) => B): Later<B> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Bytes that `scan` reads before it lets others have their turn. */
const scanBytes = 1_048_576

/** What `scan` answers when it has worked so long that others should have their turn. */
export const scanPaused: -2 = -2

/** A set of patterns; it matches where one of them does. Texts are binary strings. */
export class Regex {
  readonly #code: RegexCode
  readonly #options: RegexOptions
  readonly #multiline: boolean
  readonly #utf8: boolean
  readonly #backReferences: boolean
  readonly groups: number
  /** Bytes with which a match can begin; `undefined` when it may be empty. */
  readonly #first: Uint8Array | undefined
  #anchored: Dfa | undefined
  #unanchored: Dfa | undefined
  #lines: Dfa | undefined
  /** Where the last match of `exec` was. */
  start = 0
  end = 0
  #state = -1

  /** Throws `RegexError` when a pattern cannot be read. */
  constructor(patterns: ReadonlyArray<string>, options: RegexOptions = {}) {
    this.#options = options
    this.#multiline = options.multiline === true
    this.#utf8 = options.utf8 === true
    let groups = 0
    let back = false
    const ways = patterns.map((pattern): RegexNode => {
      const text = codes(pattern, this.#utf8)
      if (options.fixed) {
        const of = text.map((code): RegexNode => ({
          _tag: "Set",
          ranges: options.ignoreCase ? foldCase([code, code], this.#utf8) : [code, code],
        }))
        return { _tag: "All", of }
      }
      const parser = new RegexParser(text, options, groups)
      const node = parser.parse()
      groups = parser.groups
      back ||= parser.backReferences
      return node
    })
    const any: RegexNode = { _tag: "Any", of: ways }
    const at = (what: number): RegexNode => ({ _tag: "At", what })
    const around = options.whole === "word"
      ? [Assertion.noWordBefore, Assertion.noWordAfter]
      : [Assertion.lineStart, Assertion.lineEnd]
    const root: RegexNode = options.whole === undefined
      ? any
      : { _tag: "All", of: [at(around[0] ?? 0), any, at(around[1] ?? 0)] }
    this.groups = groups
    this.#backReferences = back
    this.#code = ways.length === 0
      ? compileNode({ _tag: "Set", ranges: [] }, 0, false, false)
      : compileNode(root, groups, this.#utf8, back)
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
      utf8: this.#utf8,
      ...(terminator === undefined ? {} : { terminator }),
    })
  }

  /** A search of a text; with `any` only for whether there is a match. */
  *#searching(text: string, from: number, any: boolean): Coroutine<Match | undefined> {
    if (this.#backReferences) return matchOf(yield* this.#slots(text, from))
    const search = this.#search(text, from, any)
    while (!search.run()) yield
    return search.end < 0 ? undefined : search
  }

  #search(text: string, from: number, any: boolean, failures = new FailureMemo()): DfaSearch {
    return any
      ? new DfaSearch(this.#unanchored ??= this.#dfa(false), text, from, { first: undefined, failures: undefined })
      : new DfaSearch(this.#anchored ??= this.#dfa(true), text, from, { first: this.#first, failures })
  }

  /** Whether there is a match in the text, from a place on. */
  test(text: string, from = 0): boolean {
    return runCoroutineSync(this.#searching(text, from, true)) !== undefined
  }

  /** The same, letting others run on the way. */
  testLater(system: Pick<System, "breathe">, text: string, from = 0): Later<boolean> {
    if (this.#backReferences) return then(this.#later(system, text, from, true), (match) => match !== undefined)
    // Most texts are short: one slice is enough.
    const search = this.#search(text, from, true)
    if (search.run()) return search.end >= 0
    return then(runCoroutine(system, running(search)), () => search.end >= 0)
  }

  #later(system: Pick<System, "breathe">, text: string, from: number, any: boolean): Later<Match | undefined> {
    return runCoroutine(system, this.#searching(text, from, any))
  }

  /** Finds the leftmost longest match that begins at `from` or later: `start` and `end` tell where. */
  exec(text: string, from = 0): boolean {
    return this.#found(runCoroutineSync(this.#searching(text, from, false)))
  }

  /**
   * The match that {@link exec} finds, letting others run on the way. `failures` is given by who looks for the next match
   * in the same text.
   */
  execLater(system: Pick<System, "breathe">, text: string, from = 0, failures?: FailureMemo): Later<boolean> {
    if (this.#backReferences) return then(this.#later(system, text, from, false), (match) => this.#found(match))
    const search = this.#search(text, from, false, failures)
    const decided = (): boolean => this.#found(search.end < 0 ? undefined : search)
    return search.run() ? decided() : then(runCoroutine(system, running(search)), decided)
  }

  #found(match: Match | undefined): boolean {
    if (match === undefined) return false
    this.start = match.start
    this.end = match.end
    return true
  }

  #slots(text: string, from: number): Coroutine<Int32Array | undefined> {
    return backtrack(this.#code, text, from, {
      ignoreCase: this.#options.ignoreCase === true,
      multiline: this.#multiline,
      utf8: this.#utf8,
    })
  }

  *#capturing(text: string, { end, start }: Match): Coroutine<Int32Array> {
    const slots = this.#backReferences
      ? yield* this.#slots(text, start)
      : this.groups === 0
      ? undefined
      : yield* runPikeVm(this.#code, text, { from: start, to: end, multiline: this.#multiline, utf8: this.#utf8 })
    return slots ?? Int32Array.of(start, end)
  }

  /** The groups of the match that `exec` found: pairs of start and end, -1 when a group took no part. */
  captures(text: string): Int32Array {
    return runCoroutineSync(this.#capturing(text, this))
  }

  /** The same, letting others run on the way. */
  capturesLater(system: Pick<System, "breathe">, text: string): Later<Int32Array> {
    const { end, start } = this
    return runCoroutine(system, this.#capturing(text, { end, start }))
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
    const stop = Math.min(to, from + scanBytes)
    for (let at = from; at < stop; at++) {
      const group = classes[bytes[at] ?? 0] ?? 0
      let value = table[state * width + group] ?? -1
      if (value < 0) {
        value = dfa.make(state, group)
        table = dfa.table
        if (dfa.work > 500_000 && (value & 1) === 0) {
          this.#state = value >> 1
          this.at = at + 1
          return scanPaused
        }
      }
      if ((value & 1) === 1) return at
      state = value >> 1
    }
    if (stop < to) {
      this.#state = state
      this.at = stop
      return scanPaused
    }
    return last && (dfa.step(state, width - 1) & 1) === 1 ? to : -1
  }

  /** Where to go on after `pause`. */
  at = 0
}

/** A pattern, or what is wrong with it. */
export const compileRegex = (patterns: ReadonlyArray<string>, options: RegexOptions): Regex | string => {
  try {
    return new Regex(patterns, options)
  } catch (cause) {
    if (cause instanceof RegexError) return cause.message
    throw cause
  }
}
