/** Collects the expanded pieces of a word into fields or into one text. */
import { detach } from "../../detach.ts"
import { hasPatternCharacters } from "../../../shell-language/ShellLanguage.ts"
import { type Coroutine, runCoroutine } from "../../Coroutine.ts"
import type { Later, System } from "../../System.ts"
import { ShellError } from "../ShellError.ts"
import { escapePattern } from "./parsePattern.ts"

/** Receives the expanded pieces of a word in order. */
export interface WordBuilder {
  /** Adds text that is not split; quoted text is literal in a pattern. */
  readonly add: (text: string, quoted: boolean) => void
  /** Adds the result of an unquoted expansion, which may be split. */
  readonly split: (text: string) => Later<void>
  /** Adds the elements of `$@`, `$*` or an array. */
  readonly list: (values: ReadonlyArray<string>, mark: "@" | "*", quoted: boolean) => Later<void>
}

/** Escapes quoted text for the kind of text in which it is literal. */
export type Escape = (text: string) => string

export const escapeRegex: Escape = (text) => text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")

/** Escapes a text for the replacement of `${x/a/b}`, in which an unquoted `&` stands for the match. */
export const escapeReplacement: Escape = (text) => text.replace(/[\\&]/g, "\\$&")

/** Builds one text: the value of a variable, a here-document, a file name, a pattern. */
export class TextBuilder implements WordBuilder {
  text: string = ""
  readonly #join: string
  readonly #maxLength: number
  readonly #escape: Escape | undefined

  /** @param escape Escapes quoted text. Default: quoted text is added as it is. */
  constructor(ifs: string, maxLength: number, escape?: Escape) {
    this.#join = ifs.slice(0, 1)
    this.#maxLength = maxLength
    this.#escape = escape
  }

  add(text: string, quoted: boolean): void {
    const added = quoted && this.#escape !== undefined ? this.#escape(text) : text
    if (this.text.length + added.length > this.#maxLength) throw new ShellError("the value is too long", "line")
    this.text += added
  }

  split(text: string): void {
    this.add(text, false)
  }

  list(values: ReadonlyArray<string>, mark: "@" | "*", quoted: boolean): void {
    this.add(values.join(mark === "@" ? " " : this.#join), quoted)
  }
}

/** A field: a word that results from an expansion. */
export interface Field {
  readonly text: string
  /** The field as a pattern; `undefined` if it has no special characters. */
  readonly pattern: string | undefined
}

const magic = /[*?[]|[+@!]\(/

/** Number of fields that are made between two yields. */
const fieldsPerPause = 2_048

const delimiters = new Map<string, RegExp>()

/** Returns a regular expression that finds a character of `IFS`. */
const delimiterOf = (ifs: string): RegExp => {
  const known = delimiters.get(ifs)
  if (known !== undefined) return known
  if (delimiters.size >= 16) delimiters.clear()
  const made = new RegExp(`[${ifs.replace(/[\\\]^-]/g, "\\$&")}]`, "g")
  delimiters.set(ifs, made)
  return made
}

/** Builds fields by splitting unquoted expansions at the characters of `IFS`. */
export class FieldSplitter implements WordBuilder {
  readonly fields: Array<Field> = []
  readonly #ifs: string
  readonly #limit: number
  #text = ""
  /** The text in pieces, which become a pattern only where one of them has special characters. */
  readonly #pieces: Array<{ readonly text: string; readonly quoted: boolean }> = []
  #magic = false
  #started = false
  /** Whether white space has ended a field; a delimiter that follows belongs to it. */
  #afterSpace = false
  readonly #system: Pick<System, "yield">

  constructor(ifs: string, limit: number, system: Pick<System, "yield">) {
    this.#ifs = ifs
    this.#limit = limit
    this.#system = system
  }

  add(text: string, quoted: boolean): void {
    this.#started = true
    this.#afterSpace = false
    this.#append(text, quoted)
  }

  #append(text: string, quoted: boolean): void {
    this.#text += text
    this.#pieces.push({ text, quoted })
    if (!quoted && magic.test(text)) this.#magic = true
  }

  split(text: string): Later<void> {
    return runCoroutine(this.#system, this.#split(text))
  }

  *#split(text: string): Coroutine<void> {
    if (this.#ifs === "") {
      if (text !== "") this.add(text, false)
      return
    }
    const delimiter = delimiterOf(this.#ifs)
    let from = 0
    let credits = fieldsPerPause
    delimiter.lastIndex = 0
    for (let found = delimiter.exec(text); found !== null; found = delimiter.exec(text)) {
      if (--credits < 0) {
        credits = fieldsPerPause
        const { lastIndex } = delimiter
        yield
        delimiter.lastIndex = lastIndex
      }
      const [character] = found
      if (found.index > from) this.add(detach(text.slice(from, found.index), text.length), false)
      from = found.index + 1
      if (character === " " || character === "\t" || character === "\n") {
        if (this.#started) {
          this.end()
          this.#afterSpace = true
        }
      } else {
        if (!this.#afterSpace) this.#push()
        this.#afterSpace = false
      }
    }
    if (from < text.length) this.add(detach(text.slice(from), text.length), false)
  }

  list(values: ReadonlyArray<string>, mark: "@" | "*", quoted: boolean): Later<void> {
    return runCoroutine(this.#system, this.#list(values, mark, quoted))
  }

  *#list(values: ReadonlyArray<string>, mark: "@" | "*", quoted: boolean): Coroutine<void> {
    const separator = this.#ifs.slice(0, 1)
    if (quoted && mark === "*") return this.add(values.join(separator), true)
    // An empty element counts only next to a delimiter that is not white space, as in bash.
    if (!quoted && separator.trim() !== "") return yield* this.#split(values.join(separator))
    for (const [index, value] of values.entries()) {
      if (index > 0) {
        this.end()
        this.#afterSpace = false
      }
      if (quoted) this.add(value, true)
      else yield* this.#split(value)
      if (index % fieldsPerPause === fieldsPerPause - 1) yield
    }
  }

  end(): void {
    if (this.#started) this.#push()
  }

  #push(): void {
    if (this.fields.length >= this.#limit) throw new ShellError(`more than ${this.#limit} words`, "line")
    const pattern = this.#magic
      ? this.#pieces.map(({ quoted, text }) => quoted ? escapePattern(text) : text).join("")
      : ""
    this.fields.push({ text: this.#text, pattern: hasPatternCharacters(pattern) ? pattern : undefined })
    this.#text = ""
    this.#pieces.length = 0
    this.#magic = this.#started = this.#afterSpace = false
  }
}
