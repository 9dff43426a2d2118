/**
 * Words in canonical text.
 *
 * @module
 */
import { expandBraces } from "../expandBraces.ts"
import type { ArithmeticText, Parameter, Script, Subscript, Word, WordPart } from "../SyntaxTree.ts"
import { escaped, type Place, plain, quoted, withinDoubleQuotes, withinQuotedOperand } from "./quotes.ts"
import type { Rewrite } from "./Rewrite.ts"
import { NotPrintable, TextOutput } from "./TextOutput.ts"

/** Words that one word with braces is written as; with more of them it stays one. */
const maxWords = 64

/** Words, the substitutions in them, arithmetic. */
export abstract class Words extends TextOutput {
  protected readonly rewrite: Rewrite

  constructor(source: string | undefined, maxLength: number, rewrite: Rewrite) {
    super(source, maxLength)
    this.rewrite = rewrite
  }

  /** The script of a substitution, without what encloses it. */
  protected abstract substituted(script: Script): string
  /** `inQuotes`: it stands within double quotes or arithmetic. */
  protected abstract parameter(parameter: Parameter, inQuotes: boolean): string

  /** A word that is one argument, or a value, or a pattern. */
  protected word({ parts }: Word, place: Place = "word"): string {
    return parts.length === 0 ? "" : parts.map((part, at) => this.#part(part, place, at === 0)).join("")
  }

  /** A word where braces make several of it: their words with blanks between. */
  protected argument(word: Word): string {
    const words = word.braces ? expandBraces(word, maxWords) : [word]
    // What they become is not looked at one by one either.
    if (words === undefined) return this.#withBraces(word)
    return words.filter(({ parts }) => parts.length > 0).map((each) => this.word(each)).join(" ")
  }

  /** The word of a redirection: an error of bash when braces make several of it, and not the others its arguments. */
  protected target(word: Word): string {
    const [only, ...more] = word.braces ? expandBraces(word, 1) ?? [] : [word]
    return only === undefined || more.length > 0 ? this.#withBraces(word) : this.word(only)
  }

  #withBraces({ parts }: Word): string {
    return parts.map((part, at) =>
      part._tag === "Literal"
        ? part.value.split(/([{}]+)/).map((text, i) => i % 2 === 1 ? this.put(text) : this.put(plain(text, "word")))
          .join("")
        : this.#part(part, "word", at === 0)
    ).join("")
  }

  #part(part: WordPart, place: Place, isFirst: boolean): string {
    switch (part._tag) {
      case "Literal":
        return this.put(
          isFirst && part.value.startsWith("#") ? `\\#${plain(part.value.slice(1), place)}` : plain(part.value, place),
        )
      case "Escaped":
        return this.put(escaped(part.value))
      case "SingleQuoted":
        return this.put(quoted(part.value))
      case "DoubleQuoted":
        return this.doubleQuoted(part.parts, part.localized)
      case "Tilde":
        return this.put(`~${part.user}`)
      default:
        return this.expansion(part, false)
    }
  }

  protected doubleQuoted(parts: ReadonlyArray<WordPart>, localized = false): string {
    const open = this.put(localized ? '$"' : '"')
    return open + parts.map((part) => this.#quotedPart(part)).join("") + this.put('"')
  }

  #quotedPart(part: WordPart): string {
    return part._tag === "Literal" || part._tag === "Escaped"
      ? this.put(withinDoubleQuotes(part.value))
      : this.expansion(part, true)
  }

  /** The word of `${x:-word}` within double quotes. */
  protected quotedOperand({ parts }: Word): string {
    return parts.map((part) =>
      part._tag === "Literal" || part._tag === "Escaped" || part._tag === "SingleQuoted"
        ? this.put(withinQuotedOperand(part.value))
        : this.expansion(part, true)
    ).join("")
  }

  protected expansion(part: WordPart, inQuotes: boolean): string {
    switch (part._tag) {
      case "Parameter":
        return this.parameter(part, inQuotes)
      case "CommandSubstitution":
        return this.put("$(") + this.substituted(part.script) + this.put(")")
      case "ProcessSubstitution":
        return this.put(`${part.direction}(`) + this.substituted(part.script) + this.put(")")
      case "ArithmeticExpansion":
        return this.put("$((") + this.arithmetic(part.text) + this.put("))")
      case "DoubleQuoted":
        return this.doubleQuoted(part.parts, part.localized)
      default:
        throw new NotPrintable(part._tag)
    }
  }

  protected arithmetic({ parts }: ArithmeticText): string {
    return (this.rewrite.arithmetic?.(parts) ?? parts).map((part) => {
      switch (part._tag) {
        case "Literal":
          return this.put(part.value)
        case "Escaped":
          return this.put(`\\${part.value}`)
        case "SingleQuoted":
          return this.put(`'${part.value}'`)
        default:
          return this.expansion(part, true)
      }
    }).join("")
  }

  protected subscript(subscript: Subscript): string {
    return subscript._tag === "AllElements"
      ? this.put(`[${subscript.mark}]`)
      : this.put("[") + this.word(subscript.word, "subscript") + this.put("]")
  }
}
