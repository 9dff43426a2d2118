/**
 * Where the pieces of a word go while it is expanded: into fields, into one text, into a pattern.
 *
 * @module
 */
import { ShellError } from "../ShellError.ts"
import { escapePattern, isMagic } from "./Pattern.ts"

/** Takes the pieces of a word in order. */
export interface Sink {
  /** Text that stays together; quoted text matches itself alone. */
  readonly add: (text: string, quoted: boolean) => void
  /** What an unquoted expansion brought: it may be split. */
  readonly split: (text: string) => void
  /** The elements of `$@`, `$*` or an array. */
  readonly list: (values: ReadonlyArray<string>, mark: "@" | "*", quoted: boolean) => void
}

/** One text: values of variables, here-documents, file names. */
export class TextSink implements Sink {
  text: string = ""
  readonly #join: string

  constructor(ifs: string) {
    this.#join = ifs.slice(0, 1)
  }

  add(text: string, _quoted: boolean): void {
    this.text += text
  }

  split(text: string): void {
    this.add(text, false)
  }

  list(values: ReadonlyArray<string>, mark: "@" | "*", quoted: boolean): void {
    this.add(values.join(mark === "@" ? " " : this.#join), quoted)
  }
}

/** A pattern: quoted text is escaped in it. */
export class PatternSink extends TextSink {
  override add(text: string, quoted: boolean): void {
    this.text += quoted ? escapePattern(text) : text
  }
}

/** A regular expression: quoted text is escaped in it. */
export class RegexSink extends TextSink {
  override add(text: string, quoted: boolean): void {
    this.text += quoted ? text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&") : text
  }
}

/** The replacement of `${x/a/b}`: an unquoted `&` in it stands for what matched. */
export class ReplacementSink extends TextSink {
  override add(text: string, quoted: boolean): void {
    this.text += quoted ? text.replace(/[\\&]/g, "\\$&") : text
  }
}

/** A word that came of an expansion. */
export interface Field {
  readonly text: string
  /** As a pattern; `undefined` when nothing in it could match other than itself. */
  readonly pattern: string | undefined
}

const magic = /[*?[]|[+@!]\(/

/** Fields: split where an unquoted expansion brought what `IFS` names. */
export class FieldSink implements Sink {
  readonly fields: Array<Field> = []
  readonly #ifs: string
  readonly #limit: number
  #text = ""
  #pattern = ""
  #magic = false
  #started = false
  /** White space has ended a field: a delimiter that follows belongs to it. */
  #afterSpace = false

  constructor(ifs: string, limit: number) {
    this.#ifs = ifs
    this.#limit = limit
  }

  add(text: string, quoted: boolean): void {
    this.#started = true
    this.#afterSpace = false
    this.#append(text, quoted)
  }

  #append(text: string, quoted: boolean): void {
    this.#text += text
    this.#pattern += quoted ? escapePattern(text) : text
    if (!quoted && magic.test(text)) this.#magic = true
  }

  split(text: string): void {
    if (this.#ifs === "") {
      if (text !== "") this.add(text, false)
      return
    }
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? ""
      if (!this.#ifs.includes(character)) {
        this.#started = true
        this.#afterSpace = false
        continue
      }
      if (at > from) this.#append(text.slice(from, at), false)
      from = at + 1
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
    if (from < text.length) this.#append(text.slice(from), false)
  }

  list(values: ReadonlyArray<string>, mark: "@" | "*", quoted: boolean): void {
    const separator = this.#ifs.slice(0, 1)
    if (quoted && mark === "*") return this.add(values.join(separator), true)
    // An empty element counts when a delimiter that is no white space would stand beside it, as in bash.
    if (!quoted && separator.trim() !== "") return this.split(values.join(separator))
    for (const [index, value] of values.entries()) {
      if (index > 0) {
        this.end()
        this.#afterSpace = false
      }
      if (quoted) this.add(value, true)
      else this.split(value)
    }
  }

  /** The field is whole; one that nothing began is none. */
  end(): void {
    if (this.#started) this.#push()
  }

  #push(): void {
    if (this.fields.length >= this.#limit) throw new ShellError(`more than ${this.#limit} words`, "line")
    this.fields.push({ text: this.#text, pattern: this.#magic && isMagic(this.#pattern) ? this.#pattern : undefined })
    this.#text = this.#pattern = ""
    this.#magic = this.#started = this.#afterSpace = false
  }
}
