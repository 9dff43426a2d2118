/** Implements the `fmt` utility, which fills paragraphs. */
import type { Program } from "../../System.ts"
import type { Input } from "../shared/Input.ts"
import { stripEnd } from "../shared/strip.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { breakLines, type FmtWidths, type FmtWord, splitPoint } from "./fmtParagraph.ts"

/** Maximum of a paragraph that GNU fmt holds: of a longer one it writes the best part first. */
const maxWords = 998
const maxCharacters = 5_000
const tabWidth = 8
/** Indentation of the body of a paragraph of one line, with -t. */
const taggedIndent = 3

/** The text of a line after its indentation and prefix. `column` is where it starts; `text` is empty for a blank line. */
interface Line {
  readonly column: number
  readonly prefixIndent: number
  readonly text: string
  /** The line as it was read. */
  readonly raw: string
  readonly hasPrefix: boolean
  readonly isTerminated: boolean
}

type Style = "crown" | "split" | "tagged" | "plain"

/** The column after spaces and tabs, and the index of what follows. */
const skipSpace = (
  text: string,
  from: number,
  column: number,
): readonly [index: number, column: number, hasTab: boolean] => {
  let [index, at, hasTab] = [from, column, false]
  for (; text[index] === " " || text[index] === "\t"; index++) {
    hasTab ||= text[index] === "\t"
    at = text[index] === " " ? at + 1 : (Math.floor(at / tabWidth) + 1) * tabWidth
  }
  return [index, at, hasTab]
}

class Formatter {
  readonly #io: UtilityIo
  readonly #input: Input
  readonly #style: Style
  readonly #widths: FmtWidths
  readonly #prefix: string
  /** Columns of spaces before the prefix, and its length with the spaces after it. */
  readonly #lead: number
  readonly #fullLength: number
  readonly #isUniform: boolean
  #usesTabs = false
  #words: Array<FmtWord> = []
  #characters = 0
  #indents = { first: 0, other: 0 }
  #prefixIndent = 0
  #lastLineLength = 0

  constructor(io: UtilityIo, input: Input, style: Style, widths: FmtWidths, prefix: string) {
    this.#io = io
    this.#input = input
    this.#style = style
    this.#widths = widths
    const stripped = prefix.replace(/^ +/, "")
    this.#lead = prefix.length - stripped.length
    this.#fullLength = stripped.length
    this.#prefix = stripped.replace(/ +$/, "")
    this.#isUniform = io.has("u")
  }

  async #next(): Promise<Line | undefined> {
    const raw = await this.#input.line()
    if (raw === undefined) return undefined
    let [index, column, hasTab] = skipSpace(raw, 0, 0)
    let prefixIndent = Math.min(this.#lead, column)
    let hasPrefix = true
    if (this.#prefix !== "") {
      prefixIndent = column
      hasPrefix = raw.startsWith(this.#prefix, index)
      if (hasPrefix) {
        const after = skipSpace(raw, index + this.#prefix.length, column + this.#prefix.length)
        ;[index, column] = after
        hasTab ||= after[2]
      }
    }
    this.#usesTabs ||= hasTab
    return { column, prefixIndent, text: raw.slice(index), raw, hasPrefix, isTerminated: this.#input.terminated }
  }

  /** Whether a line is text that is filled. */
  #isText(line: Line, prefixIndent: number): boolean {
    return line.hasPrefix && line.text !== "" && line.prefixIndent >= prefixIndent &&
      line.column >= line.prefixIndent + this.#fullLength
  }

  #isSameParagraph(line: Line | undefined): line is Line {
    return line !== undefined && line.prefixIndent === this.#prefixIndent && this.#isText(line, this.#prefixIndent)
  }

  async run(): Promise<void> {
    let line = await this.#next()
    while (line !== undefined) {
      if (!this.#isText(line, this.#lead)) {
        const end = line.isTerminated || line.text === "" ? "\n" : ""
        this.#io.out.putBinary(line.text === "" ? stripEnd(line.raw, " \t") + end : line.raw + end)
        line = await this.#next()
      } else line = await this.#paragraph(line)
      if (this.#io.out.isFull) await this.#io.out.flush()
    }
  }

  async #paragraph(start: Line): Promise<Line | undefined> {
    this.#lastLineLength = 0
    this.#prefixIndent = start.prefixIndent
    this.#indents.first = start.column
    if (this.#style === "plain" || this.#style === "split") this.#indents.other = start.column
    this.#words = []
    this.#characters = 0
    this.#addWords(start)
    let line = await this.#next()
    const isSame = this.#isSameParagraph(line)
    const { first } = this.#indents
    const column = line?.column ?? 0
    if (this.#style === "tagged") {
      if (isSame && column !== first) this.#indents.other = column
      else if (this.#indents.other === first) this.#indents.other = first === 0 ? taggedIndent : 0
    } else this.#indents.other = this.#style === "crown" && isSame ? column : first
    const goesOn = this.#style === "split" ? false : this.#style === "tagged" ? isSame && column !== first : true
    while (goesOn && this.#isSameParagraph(line) && line.column === this.#indents.other) {
      this.#addWords(line)
      line = await this.#next()
    }
    const last = this.#words.at(-1)
    if (last !== undefined) last.endsInPeriod = last.isFinal = true
    this.#write(this.#words.length)
    return line
  }

  #addWords({ column, text }: Line): void {
    for (let [index, at] = [0, column]; index < text.length;) {
      const start = index
      while (index < text.length && text[index] !== " " && text[index] !== "\t") index++
      const word = text.slice(start, index)
      at += word.length
      const [next, after, hasTab] = skipSpace(text, index, at)
      this.#usesTabs ||= hasTab
      const isLast = next >= text.length
      const stripped = word.replace(/[)\]'"]+$/, "")
      const endsInPeriod = /[.?!]$/.test(stripped)
      const isFinal = endsInPeriod && (isLast || after - at > 1)
      if (this.#words.length === maxWords || this.#characters + word.length > maxCharacters) this.#writePart()
      this.#characters += word.length
      this.#words.push({
        text: word,
        space: isLast || this.#isUniform ? (isFinal ? 2 : 1) : after - at,
        isOpening: /^[(['`"]/.test(word),
        endsInPunctuation: /[!-/:-@[-`{-~]$/.test(word),
        endsInPeriod,
        isFinal,
      })
      ;[index, at] = [next, after]
    }
  }

  /** Writes the part of a long paragraph that breaks best; its next line is not the first one. */
  #writePart(): void {
    if (this.#words.length === 0) return
    const breaks = breakLines(this.#words, this.#widths, this.#indents, this.#lastLineLength)
    this.#writeLines(breaks, splitPoint(breaks))
    this.#characters = this.#words.reduce((sum, { text }) => sum + text.length, 0)
    this.#indents.first = this.#indents.other
  }

  #write(end: number): void {
    this.#writeLines(breakLines(this.#words, this.#widths, this.#indents, this.#lastLineLength), end)
  }

  #writeLines(breaks: ReturnType<typeof breakLines>, end: number): void {
    for (let at = 0; at < end; at = breaks[at]?.next ?? end) {
      this.#writeLine(at, breaks[at]?.next ?? end, at === 0 ? this.#indents.first : this.#indents.other)
    }
    this.#words = this.#words.slice(end)
  }

  #writeLine(from: number, to: number, indent: number): void {
    let text = this.#spaces(0, this.#prefixIndent) + this.#prefix
    let column = this.#prefixIndent + this.#prefix.length
    text += this.#spaces(column, indent - column)
    column = Math.max(column, indent)
    for (let at = from; at < to; at++) {
      const word = this.#words[at]
      if (word === undefined) break
      text += word.text
      column += word.text.length
      if (at === to - 1) break
      text += this.#spaces(column, word.space)
      column += word.space
    }
    this.#lastLineLength = column
    this.#io.out.putBinary(`${text}\n`)
  }

  #spaces(column: number, count: number): string {
    if (count <= 0) return ""
    const target = column + count
    const tabTarget = Math.floor(target / tabWidth) * tabWidth
    if (!this.#usesTabs || column + 1 >= tabTarget) return " ".repeat(count)
    const tabs = Math.ceil((tabTarget - column) / tabWidth)
    return "\t".repeat(tabs) + " ".repeat(target - tabTarget)
  }
}

/** Rewrites `fmt -60` to `-w 60`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  /^-[0-9]+$/.test(args[0] ?? "") ? ["-w", (args[0] ?? "").slice(1), ...args.slice(1)] : args

/** `fmt [-cstu] [-w WIDTH] [-g WIDTH] [-p PREFIX] [FILE]...`: fills paragraphs. Source: fmt(1). */
export const fmt: Program = defineUtility(
  "fmt",
  "c|crown-margin s|split-only t|tagged-paragraph u|uniform-spacing w|width: g|goal: p|prefix:",
  async (io) => {
    const maximum = (option: string, limit: number): number | undefined => {
      if (!io.has(option)) return undefined
      const value = io.count(option, 0, (text) => `invalid width: ‘${text}’`)
      return value <= limit ? value : io.fail(`invalid width: ‘${value}’: Numerical result out of range`)
    }
    const given = maximum("w", 2_500)
    const wished = maximum("g", given ?? 75)
    const max = given ?? (wished === undefined ? 75 : wished + 10)
    const goal = wished ?? Math.floor(max * 187 / 200)
    const style = io.has("t") ? "tagged" : io.has("c") ? "crown" : io.has("s") ? "split" : "plain"
    for (const input of io.inputs()) await new Formatter(io, input, style, { goal, max }, io.value("p") ?? "").run()
    return io.exitCode
  },
  { rewriteArgs },
)
