/**
 * Arithmetic within scripts, and subscripts.
 *
 * @module
 */
import { arithmeticOf, type Opaque } from "./parseArithmetic.ts"
import { ShellSyntaxError } from "../ShellSyntaxError.ts"
import type { ArithmeticText, Subscript, WordPart } from "../SyntaxTree.ts"
import { type Mode, modes, Words } from "./WordParser.ts"

const identifier = /[A-Za-z0-9_]/
const maxGuesses = 8

/** Names, arithmetic and subscripts. */
export abstract class Texts extends Words {
  /** A name at the place, taken; empty when there is none. */
  protected name(): string {
    let name = ""
    for (this.continuations(); identifier.test(this.peek()); this.continuations()) {
      if (name === "" && /\d/.test(this.peek())) break
      name += this.peek()
      this.pos++
    }
    this.step(name.length)
    return name
  }

  /** Arithmetic up to where the text of this kind ends. */
  protected arithmeticText(mode: Mode): ArithmeticText {
    const start = this.pos
    const opaque: Array<Opaque> = []
    const parts = this.parts(mode, opaque)
    return {
      _tag: "ArithmeticText",
      parts,
      expression: arithmeticOf(this.text, start, this.pos, opaque, (from, to) => this.span(from, to)),
      span: this.span(start),
    }
  }

  /**
   * Arithmetic between `((` at `open` and `))`. `undefined`, and the place as it was, when there is one parenthesis, or
   * when what begins there is a subshell within parentheses: that is only known when the first `)` comes without the second.
   */
  protected arithmetic(open: number, opening: string): ArithmeticText | undefined {
    const second = this.afterContinuations(open + 1)
    if (this.text[second] !== "(") return undefined
    const known = this.place(open)
    const before = this.pos
    if (this.source.notArithmetic.has(known)) return undefined
    const { depth } = this.source
    let failure: ShellSyntaxError | undefined
    this.source.guesses++
    this.pos = second + 1
    this.enter()
    try {
      const text = this.arithmeticText(modes.arithmetic)
      const last = this.afterContinuations(this.pos + 1)
      if (this.peek() === ")" && this.text[last] === ")") {
        this.pos = last + 1
        this.leave()
        this.source.guesses--
        return text
      }
      if (this.peek() === "") failure = this.unclosed("))", open)
    } catch (thrown) {
      if (!(thrown instanceof ShellSyntaxError) || thrown === this.source.refused) throw thrown
      failure = thrown
      // An error tells its line: a look at the whole text.
      this.step(this.source.text.length)
    }
    this.source.guesses--
    this.source.depth = depth
    this.source.notArithmetic.add(known)
    if (this.source.exhausted || this.source.guesses >= maxGuesses) {
      throw failure ?? this.error(`"))" for "${opening}"`)
    }
    this.pos = before
    return undefined
  }

  /** `[…]` after a name. Stands at the bracket. */
  protected subscript(): Subscript {
    const open = this.pos
    const subscript = this.subscriptOf(modes.subscript)
    if (Array.isArray(subscript)) throw this.unclosed("]", open)
    return subscript
  }

  /** A subscript, or what it would be made of if it were closed. */
  protected subscriptOf(mode: Mode): Subscript | Array<WordPart> {
    const open = this.pos++
    const mark = this.peek()
    if ((mark === "@" || mark === "*") && this.peek(1) === "]") {
      this.pos += 2
      return { _tag: "AllElements", mark, span: this.span(open) }
    }
    const start = this.pos
    const opaque: Array<Opaque> = []
    const parts = this.parts(mode, opaque)
    if (this.peek() !== "]") return parts
    const expression = arithmeticOf(this.text, start, this.pos, opaque, (from, to) => this.span(from, to))
    const word = this.wordOf(parts, start, false)
    const text: ArithmeticText = { _tag: "ArithmeticText", parts, expression, span: word.span }
    this.pos++
    return { _tag: "Index", word, text, span: this.span(open) }
  }
}
