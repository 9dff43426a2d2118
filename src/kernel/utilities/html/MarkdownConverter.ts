/**
 * Converts HTML to Markdown by the rules of turndown, as it is read. turndown and its parser block the host for
 * seconds: 16 KB of nested `<div>` took 18 s. Source: the rules of turndown 7; HTML Living Standard "Optional tags".
 */
import { blocks, endedBy, marks, removed, voids } from "./elements.ts"
import { escapeText, formatAddress, formatCode, formatCodeBlock, formatTitle, joinLines } from "./formatText.ts"
import { type Mark, MarkdownWriter } from "./MarkdownWriter.ts"
import type { HtmlToken } from "./tokenizeHtml.ts"

export interface MarkdownStyle {
  readonly bullet: string
  readonly fence: string
  readonly rule: string
  readonly heading: "atx" | "setext"
}

interface Code {
  readonly name: "code" | "pre"
  language: string
  text: string
}

interface Element {
  readonly name: string
  readonly mark: Mark | undefined
  readonly link?: string
  /** The number of the next item of an ordered list; `undefined` for other lists. */
  next?: number | undefined
}

/** Elements deeper than this are transparent. */
const maxDepth = 256

/** Longest code within a line, and longest block of code; what is longer is cut into several. */
const maxCodeLength = 262_144

export class MarkdownConverter {
  readonly #style: MarkdownStyle
  readonly #writer: MarkdownWriter
  readonly #elements: Array<Element> = []
  /** How many elements of a name are open. */
  readonly #counts = new Map<string, number>()
  /** The removed element that is being read, and how many of its name are open. */
  #removed: readonly [name: string, depth: number] | undefined
  /** Code that is being read: its element, its language and its text. */
  #code: Code | undefined

  constructor(style: MarkdownStyle, print: (text: string) => void) {
    this.#style = style
    this.#writer = new MarkdownWriter(print)
  }

  push(token: HtmlToken): void {
    if (this.#removed !== undefined) this.#skip(token, ...this.#removed)
    else if (this.#code !== undefined) this.#pushCode(token, this.#code)
    else if (token.type === "text") this.#pushText(token.text)
    else if (token.type === "close") this.#closeUpTo(token.name)
    else this.#open(token.name, token.attributes)
  }

  end(): void {
    if (this.#code !== undefined) this.#endCode(this.#code)
    while (this.#elements.length > 0) this.#closeLast()
  }

  #skip(token: HtmlToken, name: string, depth: number): void {
    if (token.type === "text" || token.name !== name) return
    const left = depth + (token.type === "open" ? 1 : -1)
    this.#removed = left === 0 ? undefined : [name, left]
  }

  #pushText(given: string): void {
    const text = given.replace(/[ \t\r\n]+/g, " ")
    const body = text.replace(/^ | $/g, "")
    if (text.startsWith(" ")) this.#writer.space()
    if (body === "") return
    // What begins a block in Markdown is one only at the start of a text.
    const start = !this.#writer.isLineStart && text.startsWith(" ") ? " " : ""
    const end = text.endsWith(" ") ? " " : ""
    this.#writer.text(escapeText(start + body + end).slice(start.length).trimEnd())
    if (text.endsWith(" ")) this.#writer.space()
  }

  #open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (removed.has(name)) return void (this.#removed = [name, 1])
    this.#endOptional(name)
    if (blocks.has(name)) this.#writer.newlines(name === "li" || this.#isInner(name) ? 1 : 2)
    if (name === "pre" || name === "code") return void (this.#code = { name, language: "", text: "" })
    if (name === "br") this.#writer.lineBreak()
    else if (name === "hr") this.#writer.text(this.#style.rule)
    else if (name === "img") this.#putImage(attributes)
    if (name === "hr") this.#writer.newlines(2)
    if (voids.has(name) || this.#elements.length >= maxDepth) return
    this.#elements.push(this.#makeElement(name, attributes))
    this.#count(name, 1)
  }

  /** Whether an element is a list in an item of another one, which no empty line separates. */
  #isInner(name: string): boolean {
    return (name === "ul" || name === "ol") && this.#elements.at(-1)?.name === "li"
  }

  #makeElement(name: string, attributes: ReadonlyMap<string, string>): Element {
    const mark = marks.get(name)
    if (mark !== undefined) return { name, mark: this.#writer.open(mark) }
    const href = attributes.get("href")
    if (name === "a" && href !== undefined && href !== "") {
      const link = `](${formatAddress(href)}${formatTitle(attributes.get("title"))})`
      return { name, mark: this.#writer.open("["), link }
    }
    if (name === "blockquote") return { name, mark: this.#writer.open("> ", "> ") }
    if (name === "li") return { name, mark: this.#openItem() }
    if (name === "ol") return { name, mark: undefined, next: Number(attributes.get("start") ?? "1") || 0 }
    if (/^h[1-6]$/.test(name)) {
      const isUnderlined = this.#style.heading === "setext" && /[12]/.test(name)
      return { name, mark: this.#writer.open(isUnderlined ? "" : `${"#".repeat(Number(name[1]))} `, "") }
    }
    return { name, mark: undefined }
  }

  #openItem(): Mark {
    const list = this.#elements.findLast(({ name }) => name === "ul" || name === "ol")
    const marker = list?.next === undefined ? `${this.#style.bullet}   ` : `${list.next++}.  `
    return this.#writer.open(marker, " ".repeat(marker.length))
  }

  #putImage(attributes: ReadonlyMap<string, string>): void {
    const source = attributes.get("src") ?? ""
    const alt = escapeText(joinLines(attributes.get("alt") ?? ""))
    if (source !== "") this.#writer.text(`![${alt}](${formatAddress(source)}${formatTitle(attributes.get("title"))})`)
  }

  /** Ends the elements that the start of another one ends. */
  #endOptional(name: string): void {
    for (const [ended, scope] of endedBy(name)) {
      if ([...ended].every((other) => !this.#isOpen(other))) continue
      const at = this.#elements.findLastIndex((element) => ended.has(element.name) || scope.has(element.name))
      if (ended.has(this.#elements[at]?.name ?? "")) { while (this.#elements.length > at) this.#closeLast() }
    }
  }

  #isOpen(name: string): boolean {
    return this.#counts.has(name)
  }

  #count(name: string, change: 1 | -1): void {
    const count = (this.#counts.get(name) ?? 0) + change
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
  }

  #closeUpTo(name: string): void {
    const at = this.#isOpen(name) ? this.#elements.findLastIndex((element) => element.name === name) : -1
    while (at >= 0 && this.#elements.length > at) this.#closeLast()
  }

  #closeLast(): void {
    const element = this.#elements.pop()
    if (element === undefined) return
    const { link, mark, name } = element
    this.#count(name, -1)
    const writer = this.#writer
    if (link !== undefined && mark !== undefined) {
      if (!writer.close(mark, link)) writer.text(`[${link}`)
    } else if (mark !== undefined) {
      const length = writer.lengthAfter(mark)
      const isClosed = writer.close(mark, marks.get(name) ?? "")
      const isUnderlined = isClosed && this.#style.heading === "setext" && (name === "h1" || name === "h2")
      if (isUnderlined) writer.underline(name === "h1" ? "=" : "-", length)
    }
    if (blocks.has(name)) writer.newlines(name === "li" || this.#isInner(name) ? 1 : 2)
  }

  #pushCode(token: HtmlToken, code: Code): void {
    if (token.type === "text") {
      code.text += token.text
      if (code.text.length > maxCodeLength) this.#endCode(code)
    } else if (token.type === "open") {
      if (token.name === "br") code.text += "\n"
      if (token.name === "code") code.language = /language-(\S+)/.exec(token.attributes.get("class") ?? "")?.[1] ?? ""
    } else if (token.name === code.name) this.#endCode(code)
  }

  #endCode({ language, name, text }: Code): void {
    this.#code = undefined
    if (name === "pre") {
      this.#writer.lines(formatCodeBlock(text, language, this.#style.fence[0] ?? "`"))
      return this.#writer.newlines(2)
    }
    if (/^\s/.test(text)) this.#writer.space()
    if (text.trim() === "") return
    this.#writer.text(formatCode(text))
    if (/\s$/.test(text)) this.#writer.space()
  }
}
