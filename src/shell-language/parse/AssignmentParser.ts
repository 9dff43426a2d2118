/**
 * Assignments, of values and of arrays.
 *
 * Source: bash(1) "PARAMETERS", "Arrays".
 *
 * @module
 */
import { Conditions } from "./ConditionParser.ts"
import { splitTildes } from "./splitTildes.ts"
import type { ArrayElement, ArrayLiteral, Assignment, Subscript, Word, WordPart } from "../SyntaxTree.ts"
import { modes } from "./WordParser.ts"

const endsWord = /^[ \t\n;&|()<>]?$/

/** Assignments. */
export abstract class Assignments extends Conditions {
  /** Where the value of the last assignment begins in the text. */
  protected valueAt = 0

  /** An assignment at the place, or else the word that stands there. */
  protected assignment(): Assignment | Word | undefined {
    const start = this.pos
    const name = this.name()
    let subscript: Subscript | undefined
    if (name !== "" && this.peek() === "[") subscript = this.subscript()
    const operator = name === "" ? undefined : this.assigning()
    if (operator !== undefined) {
      this.valueAt = this.pos
      const value = this.peek() === "(" ? this.array() : this.value()
      return { _tag: "Assignment", name, subscript, append: operator === "+=", value, span: this.span(start) }
    }
    if (subscript === undefined) {
      this.pos = start
      return this.word()
    }
    const rest = this.parts(modes.word, undefined, this.source.extglob)
    return this.wordOf([...this.asParts(name, subscript), ...rest], start)
  }

  /** Takes `=` or `+=`, continuations before and within it included. */
  private assigning(): "=" | "+=" | undefined {
    const at = this.afterContinuations(this.pos)
    const append = this.text[at] === "+"
    const equals = append ? this.afterContinuations(at + 1) : at
    if (this.text[equals] !== "=") return undefined
    this.pos = equals + 1
    return append ? "+=" : "="
  }

  private value(): Word {
    const start = this.pos
    return this.wordOf(splitTildes(this.parts(modes.word, undefined, this.source.extglob), true), start, false)
  }

  /** A name and a subscript that turned out to be the beginning of a word. */
  private asParts(name: string, subscript: Subscript): Array<WordPart> {
    const { start, end } = subscript.span
    const literal = (value: string, start: number, end: number): WordPart => ({
      _tag: "Literal",
      value,
      span: { start, end },
    })
    const inner = subscript._tag === "Index" ? subscript.word.parts : [literal(subscript.mark, start + 1, end - 1)]
    return [literal(`${name}[`, start - name.length, start + 1), ...inner, literal("]", end - 1, end)]
  }

  private array(): ArrayLiteral {
    const start = this.pos++
    const elements: Array<ArrayElement> = []
    for (this.newlines(); !this.take(")"); this.newlines()) {
      if (this.operator() === "" && this.peek() === "") throw this.unclosed(")", start)
      elements.push(this.element())
    }
    // Whatever stands right behind it would belong to the same word, which then assigns nothing.
    if (!endsWord.test(this.peek())) throw this.error('a blank after ")"')
    return { _tag: "ArrayLiteral", elements, span: this.span(start) }
  }

  private element(): ArrayElement {
    const start = this.pos
    let subscript: Subscript | undefined
    let append = false
    let value: Word
    if (this.peek() === "[") {
      subscript = this.subscript()
      const operator = this.assigning()
      append = operator === "+="
      if (operator !== undefined) {
        value = this.value()
      } else {
        const rest = this.parts(modes.word, undefined, this.source.extglob)
        value = this.wordOf([...this.asParts("", subscript), ...rest], start)
        subscript = undefined
      }
    } else value = this.someWord('a word or ")"')
    return { _tag: "ArrayElement", subscript, append, value, span: this.span(start) }
  }
}
