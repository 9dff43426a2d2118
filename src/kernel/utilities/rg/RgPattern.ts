/** Compiles the patterns of `rg`, finds their matches in a text, and replaces them. */
import { binaryToText, textToBinary } from "../../binaryString.ts"
import { checkPatterns, FailureMemo, Regex, RegexError } from "../../regex/Regex.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { isLowerCase, translatePattern } from "./translatePattern.ts"

/** Start, end and replacement of a match in a binary string. */
export interface RgMatch {
  readonly start: number
  readonly end: number
  readonly replacement?: string
}

export class RgPattern {
  readonly #io: UtilityIo
  readonly regex: Regex
  readonly #groups: Array<number> = []
  readonly #names = new Map<string, number>()
  readonly #replacement: string | undefined

  constructor(io: UtilityIo, patterns: ReadonlyArray<string>, findsMatches: boolean) {
    this.#io = io
    const fixed = io.has("F")
    const multiline = io.has("U")
    const cased = io.lastOf("i", "s", "S")?.[0]
    let ignoreCase = cased === "i" || (cased === "S" && patterns.every(isLowerCase))
    this.#replacement = io.value("r")
    checkPatterns(patterns)
    const texts = patterns.map((pattern, index) => {
      if (fixed) return pattern
      try {
        const translated = translatePattern(pattern, multiline, this.#groups.at(-1) ?? 0)
        for (const [name, at] of translated.names) this.#names.set(name, this.#groups.length + at)
        this.#groups.push(...translated.groups)
        if (translated.ignoreCase && patterns.length > 1) {
          throw new RegexError("(?i) is supported in a single pattern; -i is for all")
        }
        if (translated.isLazy && findsMatches) {
          throw new RegexError(
            "non-greedy repetition is not supported where matches are shown (-o, -r, --json, --column)",
          )
        }
        ignoreCase ||= translated.ignoreCase
        return translated.text
      } catch (cause) {
        if (!(cause instanceof RegexError)) throw cause
        throw io.fail(`regex parse error:\n    ${patterns[index]}\nerror: ${cause.message}`)
      }
    })
    this.regex = new Regex(texts, {
      extended: true,
      fixed,
      ignoreCase,
      multiline,
      utf8: true,
      whole: io.has("x") ? "line" : io.has("w") ? "word" : undefined,
    })
  }

  /** All matches that do not overlap. */
  async findMatches(text: string): Promise<ReadonlyArray<RgMatch>> {
    const { system } = this.#io
    const memo = new FailureMemo()
    const matches: Array<RgMatch> = []
    let lastEnd = -1
    for (let from = 0; from <= text.length;) {
      if (!await this.regex.exec(system, text, from, memo)) break
      const { end, start } = this.regex
      from = end > start ? end : start + 1
      while (end === start && (text.charCodeAt(from) & 0xc0) === 0x80) from++
      if (end === start && start === lastEnd) continue
      lastEnd = end
      matches.push(
        this.#replacement === undefined
          ? { end, start }
          : { end, start, replacement: this.#expand(text, await this.regex.captures(system, text)) },
      )
      await system.yield()
    }
    return matches
  }

  /** Expands `$1`, `${name}` and `$$` of `-r`. */
  #expand(text: string, slots: Int32Array): string {
    return textToBinary(this.#replacement ?? "").replace(
      /\$(?:\$|\{([^}]*)\}|([A-Za-z0-9_]+))/g,
      (all, braced, plain) => {
        if (all === "$$") return "$"
        const name: string = braced ?? plain
        const index = /^[0-9]+$/.test(name) ? Number(name) : this.#names.get(name) ?? -1
        const group = index === 0 ? 0 : this.#groups[index - 1] ?? -1
        const start = slots[group * 2] ?? -1
        return group < 0 || start < 0 ? "" : text.slice(start, slots[group * 2 + 1])
      },
    )
  }
}

/** A text with its matches replaced. */
export const replaceMatches = (text: string, matches: ReadonlyArray<RgMatch>): string => {
  let out = ""
  let from = 0
  for (const { end, replacement = "", start } of matches) {
    out += text.slice(from, start) + replacement
    from = end
  }
  return out + text.slice(from)
}

/** A binary string in ripgrep's JSON: as text, or as base64 if it is not UTF-8. */
export const jsonText = (binary: string): { readonly text: string } | { readonly bytes: string } => {
  const text = binaryToText(binary)
  return /[\udc80-\udcff](?<![\ud800-\udbff].)/.test(text) ? { bytes: btoa(binary) } : { text }
}
