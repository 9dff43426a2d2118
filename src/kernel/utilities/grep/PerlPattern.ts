/** Searches lines for a Perl pattern: the `-P` of grep. Source: pcre2pattern(3). */
import { runCoroutine } from "../../Coroutine.ts"
import type { Later, System } from "../../System.ts"
import { binaryToText, textToBinary } from "../../binaryString.ts"
import type { Regex } from "../../regex/Regex.ts"
import type { PerlProgram } from "../../regex/perl/PerlProgram.ts"
import { Search } from "../../regex/perl/PerlRegex.ts"
import { compilePerl } from "../../regex/perl/compilePerl.ts"

/** A pattern that can search lines, which are binary strings. */
export type LinePattern = Pick<Regex, "canScan" | "end" | "exec" | "scan" | "scanAt" | "start" | "test">

export interface PerlPatternOptions {
  readonly ignoreCase: boolean
  readonly utf8: boolean
  /** A match must be a whole word or a whole line. */
  readonly whole: "word" | "line" | undefined
}

const wrap = (pattern: string, whole: PerlPatternOptions["whole"]): string =>
  whole === "line" ? `^(?:${pattern})$` : whole === "word" ? `(?<!\\w)(?:${pattern})(?!\\w)` : pattern

// deno-lint-ignore no-control-regex -- all of ASCII
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

export class PerlPattern implements LinePattern {
  readonly canScan = false
  readonly scanAt = 0
  start = 0
  end = 0
  readonly #program: PerlProgram
  readonly #utf8: boolean
  /** The last searched line, as text, and the failures that the search remembers of it. */
  #line = ""
  #text = ""
  #search: Search | undefined

  /** Throws `RegexError` for an invalid pattern. */
  constructor(pattern: string, { ignoreCase, utf8, whole }: PerlPatternOptions) {
    const flags = { ignoreCase, multiline: false, extended: false, dotAll: false, dialect: "PCRE" } as const
    this.#program = compilePerl(wrap(utf8 ? pattern : textToBinary(pattern), whole), flags)
    this.#utf8 = utf8
  }

  scan(): number {
    return -1
  }

  test(system: Pick<System, "yield">, line: string): Later<boolean> {
    return this.exec(system, line, 0)
  }

  exec(system: Pick<System, "yield">, line: string, from = 0): Later<boolean> {
    const search = this.#searchOf(line)
    const isSame = this.#text === line
    // The place after an empty match may be within a character.
    let place = from
    while (!isSame && (line.charCodeAt(place) & 0xc0) === 0x80) place++
    const begin = isSame ? place : binaryToText(line.slice(0, place)).length
    const found = runCoroutine(system, search.find(begin))
    return found instanceof Promise ? found.then((slots) => this.#take(slots)) : this.#take(found)
  }

  #searchOf(line: string): Search {
    if (this.#search === undefined || this.#line !== line) {
      this.#line = line
      this.#text = this.#utf8 && !isAscii(line) ? binaryToText(line) : line
      this.#search = new Search(this.#program, this.#text, false)
    }
    return this.#search
  }

  #take(slots: Int32Array | undefined): boolean {
    if (slots === undefined) return false
    const [start = 0, end = 0] = slots
    const offsetOf = (at: number): number =>
      this.#text === this.#line ? at : textToBinary(this.#text.slice(0, at)).length
    this.start = offsetOf(start)
    this.end = offsetOf(end)
    return true
  }
}
