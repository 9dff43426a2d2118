/**
 * Converts a template into a script of a POSIX shell whose values are variables, never text of the script; tracks its
 * quotes so that each value stays one word.
 *
 * Quoting the values into the text would be unsafe wherever quotes do not count: in a here-document, a comment,
 * backquotes or arithmetic. Variables are safe everywhere, and are not exported to child processes.
 */
import { TemplateError } from "../command/plain/TemplateError.ts"
import type { Word } from "../command/Secret.ts"

export interface ScriptTemplate {
  readonly script: string
  readonly values: ReadonlyArray<Word>
}

/** Quoting context of a value in a script. */
type QuoteContext = "plain" | "double" | "single" | "comment"

interface HereDocument {
  readonly delimiter: string
  readonly isIndented: boolean
}

/**
 * Tracks the quoting of a script. A mistake here would split a word or print quotes; it cannot execute text of a value.
 */
class QuoteTracker {
  /** Open quotes, `$(` and backquotes, innermost last. */
  readonly #open: Array<{ readonly mode: QuoteContext | "backquote"; parens: number }> = [{ mode: "plain", parens: 0 }]
  #pending: Array<HereDocument> = []
  #documents: Array<HereDocument> = []
  #line = ""
  #previous = "\n"

  get context(): QuoteContext {
    if (this.#documents.length > 0) return "double"
    const { mode } = this.#top
    return mode === "backquote" ? "plain" : mode
  }

  get #top(): { readonly mode: QuoteContext | "backquote"; parens: number } {
    return this.#open[this.#open.length - 1] ?? { mode: "plain", parens: 0 }
  }

  read(text: string): void {
    for (let at = 0; at < text.length; at++) at += this.#take(text, at)
  }

  /** Reads the character at `at`; returns how many more it consumed. */
  #take(text: string, at: number): number {
    const char = text[at] ?? ""
    const before = this.#previous
    this.#previous = char
    const [document] = this.#documents
    if (document !== undefined) return this.#inDocument(document, char)
    if (char === "\n" && this.#pending.length > 0) {
      this.#documents = this.#pending
      this.#pending = []
      this.#line = ""
    }
    const top = this.#top
    if (top.mode === "single") {
      if (char === "'") this.#open.pop()
      return 0
    }
    if (top.mode === "comment") {
      if (char === "\n") this.#open.pop()
      return 0
    }
    if (char === "\\") return 1
    if (char === "$" && text[at + 1] === "(") {
      this.#open.push({ mode: "plain", parens: 0 })
      return 1
    }
    if (char === "`") {
      if (this.#open.some(({ mode }) => mode === "backquote")) {
        while (this.#open.pop()?.mode !== "backquote");
      } else this.#open.push({ mode: "backquote", parens: 0 })
      return 0
    }
    if (char === '"') {
      if (top.mode === "double") this.#open.pop()
      else this.#open.push({ mode: "double", parens: 0 })
      return 0
    }
    if (top.mode === "double") return 0
    if (char === "'") this.#open.push({ mode: "single", parens: 0 })
    else if (char === "#" && /[\s;&|()]/.test(before)) this.#open.push({ mode: "comment", parens: 0 })
    else if (char === "(") top.parens++
    else if (char === ")") {
      if (top.parens > 0) top.parens--
      else if (this.#open.length > 1 && top.mode === "plain") this.#open.pop()
    } else if (char === "<") return this.#here(text.slice(at))
    return 0
  }

  #here(text: string): number {
    const [all = "", dash, delimiter = ""] = /^<<(-?)[ \t]*((?:\\.|'[^']*'|"[^"]*"|[^\s;&|<>()'"\\])+)/.exec(text) ?? []
    if (all === "") return /^<*/.exec(text)?.[0].length ?? 1
    const bare = delimiter.replace(/\\(.)|'([^']*)'|"([^"]*)"/g, "$1$2$3")
    this.#pending.push({ delimiter: bare, isIndented: dash === "-" })
    return all.length - 1
  }

  #inDocument({ delimiter, isIndented }: HereDocument, char: string): number {
    if (char !== "\n") {
      this.#line += char
      return 0
    }
    if ((isIndented ? this.#line.replace(/^\t+/, "") : this.#line) === delimiter) this.#documents.shift()
    this.#line = ""
    return 0
  }
}

/**
 * Converts a template into a script. Each value is a variable: `"${sluice_1}"` as one word, without quotes inside
 * quotes. Throws a `TemplateError` for a value in single quotes, which do not expand variables.
 */
export const scriptTemplate = (
  texts: ReadonlyArray<string>,
  values: ReadonlyArray<Word | ReadonlyArray<Word>>,
): ScriptTemplate => {
  const tracker = new QuoteTracker()
  const words: Array<Word> = []
  let script = ""
  texts.forEach((raw, index) => {
    // In JavaScript, `${` and a backquote need these backslashes; they are not meant for the shell.
    const text = raw.replace(/\\(\$\{|`)/g, "$1")
    tracker.read(text)
    script += text
    const value = values[index]
    if (index >= values.length || value === undefined) return
    const { context } = tracker
    if (context === "single") {
      const message = `the value after template part ${index} is in single quotes: remove them, it is quoted already`
      throw TemplateError.because("InvalidValue", message)
    }
    const references = (isList(value) ? value : [value]).map((word) => {
      words.push(word)
      const reference = `\${sluice_${words.length}}`
      return context === "double" ? reference : `"${reference}"`
    })
    script += references.join(" ")
  })
  if (words.length === 0) return { script, values: [] }
  const assignments = words.map((_, index) => `sluice_${index + 1}=\${${index + 1}}`).join(" ")
  return { script: `${assignments}; shift ${words.length}; ${script}`, values: words }
}

const isList = (value: Word | ReadonlyArray<Word>): value is ReadonlyArray<Word> => Array.isArray(value)
