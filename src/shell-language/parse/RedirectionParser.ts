/**
 * Parses the redirections of commands, and the bodies of here-documents after the end of their line.
 * Source: POSIX.1-2024 XCU 2.7; bash(1) "REDIRECTION".
 */
import type { Scanner } from "./Scanner.ts"
import {
  type FileRedirect,
  type HereDocument,
  type Redirect,
  type RedirectOperator,
  redirectOperators,
  type Word,
  type WordPart,
} from "../SyntaxTree.ts"
import type { WordParser } from "./WordParser.ts"

type PendingHereDocument = { -readonly [K in keyof HereDocument]: HereDocument[K] }

const isFileOperator = (operator: string): operator is RedirectOperator =>
  redirectOperators.some((known) => known === operator)
const descriptor = /(?:(\d{1,9})|\{([A-Za-z_]\w*(?:\[\w*\])?)\})(?=[<>])/y
const elementName = /\{[A-Za-z_]\w*\[/y

/** Parses the body of a here-document; `place` maps its offsets to those of the whole script. */
export type DocumentRule = (text: string, place: (offset: number) => number) => ReadonlyArray<WordPart>

/** Parses redirections. The bodies of here-documents are parsed by the given rule. */
export class RedirectionParser {
  private readonly scanner: Scanner
  private readonly words: WordParser
  private readonly documentParts: DocumentRule

  constructor(scanner: Scanner, words: WordParser, documentParts: DocumentRule) {
    this.scanner = scanner
    this.words = words
    this.documentParts = documentParts
  }

  /** Here-documents whose bodies follow after the end of the line. */
  pending: Array<PendingHereDocument> = []

  /** Parses the redirection at the position, if there is one. */
  redirect(): Redirect | undefined {
    const { scanner } = this
    const before = scanner.position
    scanner.skipBlanks()
    const start = scanner.position
    descriptor.lastIndex = start
    const [all = "", digits, variable] = descriptor.exec(scanner.text) ?? []
    scanner.position += all.length
    const operator = scanner.operator()
    const known = isFileOperator(operator)
    // `&>` has no number before it: that would be an argument.
    if (!known && operator !== "<<" && operator !== "<<-") {
      scanner.position = before
      return undefined
    }
    scanner.consume(operator)
    const fd = digits === undefined ? undefined : Number(digits)
    if (!known) return this.hereDocument(start, operator === "<<-" ? "<<-" : "<<", fd, variable)
    const target = this.words.requireWord(operator === "<<<" ? "a word after <<<" : `a file name after ${operator}`)
    return {
      _tag: "FileRedirect",
      operator,
      fd,
      variable,
      target,
      span: scanner.span(start),
    } satisfies FileRedirect
  }

  redirects(): Array<Redirect> {
    const redirects: Array<Redirect> = []
    for (let next = this.redirect(); next !== undefined; next = this.redirect()) redirects.push(next)
    return redirects
  }

  /** Refuses `{a[…]}>file` unless its subscript is a name or a number, since bash evaluates the subscript. */
  checkElementName(from: number): void {
    const { scanner } = this
    if (!"<>".includes(scanner.peek() || " ")) return
    elementName.lastIndex = from
    if (
      scanner.text[scanner.position - 1] === "}" && scanner.text[scanner.position - 2] === "]" &&
      elementName.test(scanner.text)
    ) {
      throw scanner.refusal("a descriptor's name with a plain subscript", from)
    }
  }

  private hereDocument(
    start: number,
    operator: "<<" | "<<-",
    fd: number | undefined,
    variable: string | undefined,
  ): HereDocument {
    const { scanner } = this
    scanner.skipBlanks()
    const from = scanner.position
    const word = this.words.requireWord(`a delimiter after ${operator}`)
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
        } // Expansions in a delimiter are plain text.
        else delimiter += scanner.state.text.slice(part.span.start, part.span.end)
      }
    }
    add(word.parts)
    const empty: Word = { _tag: "Word", parts: [], braces: false, span: scanner.span(from, from) }
    const span = scanner.span(start)
    const here: PendingHereDocument = {
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
    this.pending.push(here)
    return here
  }

  /** Consumes the newline at the position, if there is one, and the here-documents that follow it. */
  consumeNewline(): boolean {
    if (!this.scanner.consume("\n")) return false
    const pending = this.pending
    this.pending = []
    for (const here of pending) this.body(here)
    return true
  }

  skipNewlines(): void {
    while (this.consumeNewline());
  }

  private body(here: PendingHereDocument): void {
    const { scanner } = this
    const start = scanner.position
    // The text without ignored tabs, and the positions of its lines.
    let text = ""
    const lines: Array<readonly [inText: number, inReader: number]> = []
    while (scanner.position < scanner.text.length) {
      // A line that ends with an unquoted backslash is joined with the next before the delimiter is compared.
      const pieces: Array<readonly [from: number, to: number]> = []
      let joined = ""
      for (let goesOn = true; goesOn && scanner.position < scanner.text.length;) {
        const found = scanner.text.indexOf("\n", scanner.position)
        const end = found < 0 ? scanner.text.length : found
        let from = scanner.position
        while (joined === "" && here.operator === "<<-" && scanner.text[from] === "\t") from++
        let backslashes = 0
        while (!here.quoted && end - backslashes > from && scanner.text[end - 1 - backslashes] === "\\") {
          backslashes++
        }
        goesOn = backslashes % 2 === 1 && found >= 0
        scanner.countSteps(end - scanner.position + 1)
        scanner.position = Math.min(end + 1, scanner.text.length)
        pieces.push([from, scanner.position])
        if (joined.length <= here.delimiter.length) joined += scanner.text.slice(from, goesOn ? end - 1 : end)
      }
      if (joined === here.delimiter) {
        here.closed = true
        break
      }
      for (const [from, to] of pieces) {
        lines.push([text.length, from])
        text += scanner.text.slice(from, to)
      }
    }
    const end = lines.length === 0 ? start : (lines.at(-1)?.[1] ?? start) + text.length - (lines.at(-1)?.[0] ?? 0)
    const span = scanner.span(start, end)
    scanner.enter()
    const parts = here.quoted
      ? [{ _tag: "Literal", value: text, span } as const].filter(({ value }) => value !== "")
      : this.documentParts(text, this.placer(lines, start))
    scanner.leave()
    here.body = { _tag: "Word", parts, braces: false, span }
  }

  /** Maps offsets in a body without its tabs to offsets in the whole script. */
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
      return this.scanner.toScriptOffset(inReader + offset - inText)
    }
  }
}
