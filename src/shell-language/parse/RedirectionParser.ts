/**
 * Redirections, and the here-documents that follow on the next lines.
 *
 * Source: POSIX.1-2024 XCU 2.7; bash(1) "REDIRECTION".
 *
 * @module
 */
import { Expansions } from "./ExpansionParser.ts"
import type { FileRedirect, HereDocument, Redirect, RedirectOperator, Word } from "../SyntaxTree.ts"
import { modes } from "./WordParser.ts"

type Awaited = { -readonly [K in keyof HereDocument]: HereDocument[K] }

const redirectOperators: ReadonlySet<string> = new Set<RedirectOperator>(
  ["<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<<"],
)
const isFileOperator = (operator: string): operator is RedirectOperator => redirectOperators.has(operator)
const descriptor = /(?:(\d{1,9})|\{([A-Za-z_]\w*(?:\[\w*\])?)\})(?=[<>])/y
const elementName = /\{[A-Za-z_]\w*\[/y

/** Redirections. */
export abstract class Redirects extends Expansions {
  /** Here-documents whose bodies come after the end of the line. */
  protected awaited: Array<Awaited> = []

  /** The redirection at the place, if one stands there. */
  protected redirect(): Redirect | undefined {
    const before = this.pos
    this.blanks()
    const start = this.pos
    descriptor.lastIndex = start
    const [all = "", digits, variable] = descriptor.exec(this.text) ?? []
    this.pos += all.length
    const operator = this.operator()
    const known = isFileOperator(operator)
    // `&>` has no number before it: that would be an argument.
    if (!known && operator !== "<<" && operator !== "<<-") {
      this.pos = before
      return undefined
    }
    this.take(operator)
    const fd = digits === undefined ? undefined : Number(digits)
    if (!known) return this.hereDocument(start, operator === "<<-" ? "<<-" : "<<", fd, variable)
    const target = this.someWord(operator === "<<<" ? "a word after <<<" : `a file name after ${operator}`)
    return { _tag: "FileRedirect", operator, fd, variable, target, span: this.span(start) } satisfies FileRedirect
  }

  protected redirects(): Array<Redirect> {
    const redirects: Array<Redirect> = []
    for (let next = this.redirect(); next !== undefined; next = this.redirect()) redirects.push(next)
    return redirects
  }

  /** Refuses `{a[…]}>file` whose subscript is more than a name or a number: bash would evaluate it. */
  protected checkElementName(from: number): void {
    if (!"<>".includes(this.peek() || " ")) return
    elementName.lastIndex = from
    if (this.text[this.pos - 1] === "}" && this.text[this.pos - 2] === "]" && elementName.test(this.text)) {
      throw this.refusal("a descriptor's name with a plain subscript", from)
    }
  }

  private hereDocument(
    start: number,
    operator: "<<" | "<<-",
    fd: number | undefined,
    variable: string | undefined,
  ): HereDocument {
    this.blanks()
    const from = this.pos
    const word = this.someWord(`a delimiter after ${operator}`)
    let delimiter = ""
    let quoted = false
    const add = (parts: Word["parts"]): void => {
      for (const part of parts) {
        if (part._tag === "Literal") delimiter += part.value
        else if (part._tag === "Escaped" || part._tag === "SingleQuoted") {
          delimiter += part.value
          quoted = true
        } else if (part._tag === "DoubleQuoted") {
          quoted = true
          add(part.parts)
        } // Nothing is expanded in it.
        else delimiter += this.source.text.slice(part.span.start, part.span.end)
      }
    }
    add(word.parts)
    const empty: Word = { _tag: "Word", parts: [], braces: false, span: this.span(from, from) }
    const span = this.span(start)
    const here: Awaited = {
      _tag: "HereDocument",
      operator,
      fd,
      variable,
      delimiter,
      quoted,
      body: empty,
      closed: false,
      span,
    }
    this.awaited.push(here)
    return here
  }

  /** Takes the newline at the place, if there is one, and the here-documents that follow it. */
  protected newline(): boolean {
    if (!this.take("\n")) return false
    const awaited = this.awaited
    this.awaited = []
    for (const here of awaited) this.body(here)
    return true
  }

  protected newlines(): void {
    while (this.newline());
  }

  private body(here: Awaited): void {
    const start = this.pos
    // The text without the tabs that are ignored, and where its lines came from.
    let text = ""
    const lines: Array<readonly [inText: number, inReader: number]> = []
    while (this.pos < this.text.length) {
      // A line that ends with an unquoted backslash goes on with the next, before the delimiter is looked for.
      const pieces: Array<readonly [from: number, to: number]> = []
      let joined = ""
      for (let goesOn = true; goesOn && this.pos < this.text.length;) {
        const found = this.text.indexOf("\n", this.pos)
        const end = found < 0 ? this.text.length : found
        let from = this.pos
        while (joined === "" && here.operator === "<<-" && this.text[from] === "\t") from++
        let backslashes = 0
        while (!here.quoted && end - backslashes > from && this.text[end - 1 - backslashes] === "\\") backslashes++
        goesOn = backslashes % 2 === 1 && found >= 0
        this.step(end - this.pos + 1)
        this.pos = Math.min(end + 1, this.text.length)
        pieces.push([from, this.pos])
        if (joined.length <= here.delimiter.length) joined += this.text.slice(from, goesOn ? end - 1 : end)
      }
      if (joined === here.delimiter) {
        here.closed = true
        break
      }
      for (const [from, to] of pieces) {
        lines.push([text.length, from])
        text += this.text.slice(from, to)
      }
    }
    const end = lines.length === 0 ? start : (lines.at(-1)?.[1] ?? start) + text.length - (lines.at(-1)?.[0] ?? 0)
    const span = this.span(start, end)
    this.enter()
    const parts = here.quoted
      ? [{ _tag: "Literal", value: text, span } as const].filter(({ value }) => value !== "")
      : this.within(text, this.placer(lines, start)).parts(modes.hereDocument)
    this.leave()
    here.body = { _tag: "Word", parts, braces: false, span }
  }

  /** Where an offset in a body without its tabs stands. */
  private placer(
    lines: ReadonlyArray<readonly [inText: number, inReader: number]>,
    start: number,
  ): (offset: number) => number {
    return (offset) => {
      let low = 0
      let high = lines.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((lines[middle]?.[0] ?? 0) <= offset) low = middle
        else high = middle - 1
      }
      const [inText, inReader] = lines[low] ?? [0, start]
      return this.place(inReader + offset - inText)
    }
  }
}
