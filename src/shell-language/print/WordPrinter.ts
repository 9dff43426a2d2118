/**
 * Prints words, the expansions in them and arithmetic as canonical text of a script.
 *
 * @module
 */
import { expandBraces } from "../expandBraces.ts"
import type { ArithmeticText, Parameter, Script, Subscript, Word, WordPart } from "../SyntaxTree.ts"
import {
  escapeInDoubleQuotes,
  quoteCharacter,
  quoteForContext,
  quoteInQuotedOperand,
  quoteText,
  type QuotingContext,
} from "./quotes.ts"
import type { Rewrite } from "./Rewrite.ts"
import { NotPrintableError, type TextOutput } from "./TextOutput.ts"

/** A word whose braces make more words than this is printed with its braces. */
const maxWords = 64

/** Prints what words may hold, and what may hold words again. */
export interface ExpansionPrinters {
  /** Prints the script of a substitution, without its parentheses. */
  readonly substituted: (script: Script) => string
  /** `inQuotes`: the parameter stands within double quotes or arithmetic. */
  readonly parameter: (parameter: Parameter, inQuotes: boolean) => string
}

/** Prints words and arithmetic. */
export class WordPrinter {
  readonly #output: TextOutput
  readonly #rewrite: Rewrite
  readonly #printers: ExpansionPrinters

  constructor(output: TextOutput, rewrite: Rewrite, printers: ExpansionPrinters) {
    this.#output = output
    this.#rewrite = rewrite
    this.#printers = printers
  }

  /** Prints a word that is one argument, or a value, or a pattern. */
  word({ parts }: Word, place: QuotingContext = "word"): string {
    return parts.length === 0 ? "" : parts.map((part, at) => this.#part(part, place, at === 0)).join("")
  }

  /** Prints the words that braces make of a word, with blanks between. */
  argument(word: Word): string {
    const words = word.braces ? expandBraces(word, maxWords) : [word]
    // The analyses do not examine this many words one by one either.
    if (words === undefined) return this.#withBraces(word)
    return words.filter(({ parts }) => parts.length > 0).map((each) => this.word(each)).join(" ")
  }

  /** Prints the word of a redirection. Braces that make several words of it stay, since bash refuses them. */
  target(word: Word): string {
    const [only, ...more] = word.braces ? expandBraces(word, 1) ?? [] : [word]
    return only === undefined || more.length > 0 ? this.#withBraces(word) : this.word(only)
  }

  #withBraces({ parts }: Word): string {
    return parts.map((part, at) =>
      part._tag === "Literal"
        ? part.value.split(/([{}]+)/).map((text, i) =>
          i % 2 === 1 ? this.#output.put(text) : this.#output.put(quoteForContext(text, "word"))
        )
          .join("")
        : this.#part(part, "word", at === 0)
    ).join("")
  }

  #part(part: WordPart, place: QuotingContext, isFirst: boolean): string {
    switch (part._tag) {
      case "Literal":
        return this.#output.put(
          isFirst && part.value.startsWith("#")
            ? `\\#${quoteForContext(part.value.slice(1), place)}`
            : quoteForContext(part.value, place),
        )
      case "Escaped":
        return this.#output.put(quoteCharacter(part.value))
      case "SingleQuoted":
        return this.#output.put(quoteText(part.value))
      case "DoubleQuoted":
        return this.doubleQuoted(part.parts, part.localized)
      case "Tilde":
        return this.#output.put(`~${part.user}`)
      default:
        return this.expansion(part, false)
    }
  }

  doubleQuoted(parts: ReadonlyArray<WordPart>, localized = false): string {
    const open = this.#output.put(localized ? '$"' : '"')
    return open + parts.map((part) => this.#quotedPart(part)).join("") + this.#output.put('"')
  }

  #quotedPart(part: WordPart): string {
    return part._tag === "Literal" || part._tag === "Escaped"
      ? this.#output.put(escapeInDoubleQuotes(part.value))
      : this.expansion(part, true)
  }

  /** Prints the word of `${x:-word}` within double quotes. */
  quotedOperand({ parts }: Word): string {
    return parts.map((part) =>
      part._tag === "Literal" || part._tag === "Escaped" || part._tag === "SingleQuoted"
        ? this.#output.put(quoteInQuotedOperand(part.value))
        : this.expansion(part, true)
    ).join("")
  }

  expansion(part: WordPart, inQuotes: boolean): string {
    switch (part._tag) {
      case "Parameter":
        return this.#printers.parameter(part, inQuotes)
      case "CommandSubstitution":
        return this.#output.put("$(") + this.#printers.substituted(part.script) + this.#output.put(")")
      case "ProcessSubstitution":
        return this.#output.put(`${part.direction}(`) + this.#printers.substituted(part.script) + this.#output.put(")")
      case "ArithmeticExpansion":
        return this.#output.put("$((") + this.arithmetic(part.text) + this.#output.put("))")
      case "DoubleQuoted":
        return this.doubleQuoted(part.parts, part.localized)
      default:
        throw new NotPrintableError(part._tag)
    }
  }

  arithmetic({ parts }: ArithmeticText): string {
    return (this.#rewrite.arithmetic?.(parts) ?? parts).map((part) => {
      switch (part._tag) {
        case "Literal":
          return this.#output.put(part.value)
        case "Escaped":
          return this.#output.put(`\\${part.value}`)
        case "SingleQuoted":
          return this.#output.put(`'${part.value}'`)
        default:
          return this.expansion(part, true)
      }
    }).join("")
  }

  subscript(subscript: Subscript): string {
    return subscript._tag === "AllElements"
      ? this.#output.put(`[${subscript.mark}]`)
      : this.#output.put("[") + this.word(subscript.word, "subscript") + this.#output.put("]")
  }
}
