/**
 * Compiles POSIX regular expressions, tests texts of bytes with them, finds leftmost longest matches and their groups,
 * and scans buffers of lines, in linear time. Only patterns with back references are backtracked; these and very large
 * patterns fail after a number of steps.
 *
 * JavaScript's `RegExp` is not used because it backtracks (a hostile pattern hangs its host) and lacks POSIX syntax.
 * `re2js`, which file searches use for RE2's syntax, has no back references, no bytes and no pauses; it has 151 kB
 * instead of 17, and takes 0.2 to 4.7 s instead of 0.2 for 15 MB of lines.
 */
import { textToBinary } from "../binaryString.ts"
import { type Coroutine, runCoroutine } from "../Coroutine.ts"
import type { Later, System } from "../System.ts"
import { backtrack } from "./backtrack.ts"
import { compileNode, type RegexCode } from "./compile.ts"
import { firstSets, maxInstructions } from "./instructions.ts"
import { Dfa } from "./Dfa.ts"
import { DfaSearch, FailureMemo, type Match } from "./DfaSearch.ts"
import { quickSearch, quickTest } from "./quickSearch.ts"
import { RegexError } from "./RegexError.ts"
import { Assertion, foldCase, type RegexNode } from "./RegexNode.ts"
import { RegexParser, type RegexSyntax } from "./RegexParser.ts"
import { runPikeVm } from "./runPikeVm.ts"

export { FailureMemo } from "./DfaSearch.ts"
export { RegexError } from "./RegexError.ts"

export interface RegexOptions extends RegexSyntax {
  readonly fixed?: boolean | undefined
  /** `^` and `$` match at every newline. */
  readonly multiline?: boolean | undefined
  /** A match must be a whole word or a whole line. */
  readonly whole?: "word" | "line" | undefined
  /** The byte that ends each text that `scan` reads. Default: newline. */
  readonly terminator?: number | undefined
}

/** The part of the kernel that a search needs: it lets other processes run. */
type Yields = Pick<System, "yield">

const charactersOf = (pattern: string, utf8: boolean): Array<number> =>
  Array.from(utf8 ? pattern : textToBinary(pattern), (letter) => letter.codePointAt(0) ?? 0)

function* finishSearch(search: DfaSearch): Coroutine<Match | undefined> {
  do yield
  while (!search.run())
  return search.match
}

const mapLater = <A, B>(value: Later<A>, map: (value: A) => B): Later<B> =>
  value instanceof Promise ? value.then(map) : map(value)

/** Maximum bytes that one call of `scan` reads. */
const scanBytes = 1_048_576

/** Maximum number of instructions that one call of `scan` follows to make states. */
const workPerScan = 100_000

/** The result of `scan` if it stopped so that other processes can run. */
export const scanPaused: -2 = -2

/** Maximum length of all patterns together, which are parsed in one piece. */
const maxPatternLength = 262_144

/**
 * Throws if there are so many patterns that they exceed the instructions that `compileNode` allows: each has at least
 * two.
 */
export const checkPatterns = ({ length }: ReadonlyArray<string>): void => {
  if (length > maxInstructions / 2) throw new RegexError("Regular expression too big")
}

/** Compiled patterns; a match of any of them counts. Texts are binary strings. */
export class Regex {
  readonly #code: RegexCode
  readonly #options: RegexOptions
  readonly #hasBackReferences: boolean
  readonly groups: number
  /** Flags of the bytes that a match can start with; `undefined` if a match may be empty. */
  readonly #firstBytes: Uint8Array | undefined
  #anchored: Dfa | undefined
  #unanchored: Dfa | undefined
  #scanning: Dfa | undefined
  /** The last match that `exec` found. */
  start = 0
  end = 0
  /** The state in which a paused `scan` continues; -1 if none is paused. */
  #scanState = -1
  /** The index at which a paused `scan` continues. */
  scanAt = 0

  /** Throws `RegexError` if a pattern cannot be parsed. */
  constructor(patterns: ReadonlyArray<string>, options: RegexOptions = {}) {
    this.#options = options
    const flags = { multiline: options.multiline === true, utf8: options.utf8 === true }
    let groups = 0
    let hasBackReferences = false
    let length = 0
    checkPatterns(patterns)
    // A fixed text has an instruction for each character.
    const maxLength = options.fixed ? maxInstructions + patterns.length : maxPatternLength
    const alternatives = patterns.map((pattern): RegexNode => {
      length += pattern.length + 1
      if (length > maxLength) throw new RegexError("Regular expression too big")
      const characters = charactersOf(pattern, flags.utf8)
      if (options.fixed) {
        const of = characters.map((code): RegexNode => ({
          _tag: "Set",
          ranges: options.ignoreCase ? foldCase([code, code], flags.utf8) : [code, code],
        }))
        return { _tag: "All", of }
      }
      const parser = new RegexParser(characters, options, groups)
      const node = parser.parse()
      groups = parser.groups
      hasBackReferences ||= parser.hasBackReferences
      return node
    })
    const any: RegexNode = { _tag: "Any", of: alternatives }
    const [before, after] = options.whole === "word"
      ? [Assertion.noWordBefore, Assertion.noWordAfter]
      : [Assertion.lineStart, Assertion.lineEnd]
    const root: RegexNode = options.whole === undefined
      ? any
      : { _tag: "All", of: [{ _tag: "At", what: before }, any, { _tag: "At", what: after }] }
    this.groups = groups
    this.#hasBackReferences = hasBackReferences
    this.#code = alternatives.length === 0
      ? compileNode({ _tag: "Set", ranges: [] }, 0, false, flags)
      : compileNode(root, groups, hasBackReferences, flags)
    this.#firstBytes = this.#findFirstBytes()
  }

  #findFirstBytes(): Uint8Array | undefined {
    const found = firstSets(this.#code)
    if (found === undefined) return undefined
    const first = new Uint8Array(256)
    for (const set of found) this.#code.sets[set]?.forEach((flag, byte) => flag === 1 && (first[byte] = 1))
    return first
  }

  get #anywhere(): Dfa {
    return this.#unanchored ??= new Dfa(this.#code, false)
  }

  get #atStart(): Dfa {
    return this.#anchored ??= new Dfa(this.#code, true)
  }

  /** Searches from an index on; without `memo` it only decides whether there is a match. */
  #find(system: Yields, text: string, from: number, memo: FailureMemo | undefined): Later<Match | undefined> {
    if (this.#hasBackReferences) return runCoroutine(system, this.#findBacktracking(text, from))
    const search = memo === undefined
      ? new DfaSearch(this.#anywhere, text, from)
      : new DfaSearch(this.#atStart, text, from, this.#firstBytes, memo)
    // Most texts are short: one slice decides.
    return search.run() ? search.match : runCoroutine(system, finishSearch(search))
  }

  *#findBacktracking(text: string, from: number): Coroutine<Match | undefined> {
    const slots = yield* this.#backtrack(text, from)
    return slots === undefined ? undefined : { start: slots[0] ?? 0, end: slots[1] ?? 0 }
  }

  #backtrack(text: string, from: number): Coroutine<Int32Array | undefined> {
    return backtrack(this.#code, text, from, this.#options.ignoreCase === true)
  }

  test(system: Yields, text: string): Later<boolean> {
    const quick = this.#hasBackReferences ? undefined : quickTest(this.#anywhere, text)
    if (quick !== undefined) return quick
    return mapLater(this.#find(system, text, 0, undefined), (match) => match !== undefined)
  }

  /**
   * Finds the leftmost longest match from `from` on. Searches of one text pass the same `memo`, so that all of them
   * together take linear time.
   */
  exec(system: Yields, text: string, from = 0, memo?: FailureMemo): Later<boolean> {
    const quick = this.#hasBackReferences ? undefined : quickSearch(this.#atStart, text, from, this.#firstBytes, this)
    if (quick !== undefined) return quick
    return mapLater(this.#find(system, text, from, memo ?? new FailureMemo()), (match) => {
      if (match === undefined) return false
      this.start = match.start
      this.end = match.end
      return true
    })
  }

  /** The groups of the match that `exec` found, group 0 first: pairs of start and end, -1 for a group without a match. */
  captures(system: Yields, text: string): Later<Int32Array> {
    const { end, start } = this
    if (!this.#hasBackReferences && this.groups === 0) return Int32Array.of(start, end)
    const slots = this.#hasBackReferences ? this.#backtrack(text, start) : runPikeVm(this.#code, text, start, end)
    return mapLater(runCoroutine(system, slots), (found) => found ?? Int32Array.of(start, end))
  }

  get canScan(): boolean {
    return !this.#hasBackReferences
  }

  /**
   * Searches texts with a terminator each (the last may lack it with `isLast`) for the first one with a match. Returns an index
   * in it or at its terminator, -1, or `scanPaused`: the caller calls again with `scanAt`.
   */
  scan(bytes: Uint8Array, from: number, to: number, isLast: boolean): number {
    const dfa = this.#scanning ??= new Dfa(this.#code, false, this.#options.terminator ?? 10)
    const { classes, width } = dfa
    let table = dfa.table
    let state = this.#scanState < 0 ? dfa.begin(-1) : this.#scanState
    this.#scanState = -1
    dfa.work = 0
    const stop = Math.min(to, from + scanBytes)
    for (let at = from; at < stop; at++) {
      const group = classes[bytes[at] ?? 0] ?? 0
      let value = table[state * width + group] ?? -1
      if (value < 0) {
        value = dfa.make(state, group)
        table = dfa.table
        if (dfa.work > workPerScan && (value & 1) === 0) return this.#pauseScan(value >> 1, at + 1)
      }
      if ((value & 1) === 1) return at
      state = value >> 1
    }
    if (stop < to) return this.#pauseScan(state, stop)
    return isLast && (dfa.step(state, width - 1) & 1) === 1 ? to : -1
  }

  #pauseScan(state: number, at: number): typeof scanPaused {
    this.#scanState = state
    this.scanAt = at
    return scanPaused
  }
}

/** Compiles patterns; returns the message if one cannot be parsed. */
export const compileRegex = (patterns: ReadonlyArray<string>, options: RegexOptions): Regex | string => {
  try {
    return new Regex(patterns, options)
  } catch (cause) {
    if (cause instanceof RegexError) return cause.message
    throw cause
  }
}
